// ObjectID with database/sql, by lib/pq, which arrays come from, and by pgx.
package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
	"go.mongodb.org/mongo-driver/bson/primitive"
)

func parsed(digits string) ObjectID {
	id, err := primitive.ObjectIDFromHex(digits)
	check(err)
	return ObjectID{id}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var given, other = parsed("507f1f77bcf86cd799439011"), parsed("507f1f77bcf86cd799439012")

func try(label string, db *sql.DB) {
	var id ObjectID
	check(db.QueryRow("SELECT id FROM item WHERE id = $1", given).Scan(&id))
	fmt.Println(label, "text", map[bool]string{true: "same", false: id.Hex()}[id == given])

	var present, null *ObjectID
	check(db.QueryRow("SELECT id, $2::objectid FROM item WHERE id = $1", &given, null).Scan(&present, &null))
	fmt.Println(label, "null", *present == given && null == nil)
	fmt.Println(label, "no id", db.QueryRow("SELECT NULL::objectid").Scan(&id) != nil)

	var names string
	check(db.QueryRow("SELECT string_agg(name, ' ' ORDER BY id) FROM item WHERE id = ANY ($1)", pq.Array([]ObjectID{given, other})).Scan(&names))
	fmt.Println(label, "any", names)
	var related []ObjectID
	check(db.QueryRow("SELECT related FROM item WHERE id = $1", given).Scan(pq.Array(&related)))
	fmt.Println(label, "array", related[0].Hex(), related[1].Hex())
}

func main() {
	for _, driver := range []string{"postgres", "pgx"} {
		db, err := sql.Open(driver, "")
		check(err)
		_, err = db.Exec("INSERT INTO item (id, name, related) VALUES ($1, 'given', $3), ($2, 'other', NULL) ON CONFLICT DO NOTHING",
			given, other, pq.Array([]ObjectID{given, other}))
		check(err)
		try(driver, db)
	}
}
