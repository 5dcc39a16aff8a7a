// GORM: the tags say what the database makes.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

const given, other = "507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012"

type Item struct {
	ID   string `gorm:"type:objectid;primaryKey;default:gen_objectid()"`
	Name string
}

func (Item) TableName() string { return "item" }

type Photo struct {
	ID     int64 `gorm:"primaryKey;autoIncrement:false;default:next_snowflake('photo_id', 5, 'twitter')" json:",string"`
	Layout string
}

func (Photo) TableName() string { return "photo" }

func check(db *gorm.DB) {
	if db.Error != nil {
		fmt.Fprintln(os.Stderr, db.Error)
		os.Exit(1)
	}
}

// The names of the items that the query finds, separated by blanks
func names(query *gorm.DB) string {
	var all []string
	check(query.Model(&Item{}).Order("id").Pluck("name", &all))
	return strings.Join(all, " ")
}

func main() {
	db, err := gorm.Open(postgres.Open(""), &gorm.Config{Logger: logger.Discard})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	item := Item{ID: given, Name: "given"}
	check(db.Create(&item))
	fmt.Println("given", item.ID)
	check(db.Create(&Item{ID: other, Name: "other"}))
	generated := Item{Name: "generated"}
	check(db.Create(&generated))
	fmt.Println("generated", len(generated.ID))

	fmt.Println("equal", names(db.Where("id = ?", given)))
	fmt.Println("in", names(db.Where("id IN ?", []string{given, other})))
	fmt.Println("after", names(db.Where("id > ?", given).Where("name = 'other'")))
	fmt.Println("typed", names(db.Where("id = ?::text", given)))
	from := time.Date(2012, time.October, 17, 21, 13, 27, 0, time.UTC)
	fmt.Println("within", names(db.Where("id >= ?::timestamptz AND id < ?::timestamptz", from, from.Add(time.Second))))

	many := make([]Item, 1000)
	distinct := map[string]bool{}
	for i := range many {
		many[i].Name = "bulk"
	}
	check(db.Create(&many))
	for _, item := range many {
		distinct[item.ID] = true
	}
	fmt.Println("bulk", len(distinct))

	var photos []Photo
	check(db.Order("layout").Find(&photos))
	fmt.Println("bigint", photos[0].ID, photos[1].ID)
	made := Photo{Layout: "twitter"}
	check(db.Create(&made))
	var text string
	check(db.Raw("SELECT id::text FROM photo WHERE layout = 'twitter'").Scan(&text))
	fmt.Println("made", map[bool]string{true: "same", false: text}[fmt.Sprint(made.ID) == text])
	var pgErr *pgconn.PgError
	if errors.As(db.First(&item, "id = ?", "no id").Error, &pgErr) {
		fmt.Println("invalid", pgErr.Code)
	}
}
