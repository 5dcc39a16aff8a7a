// pgx asks the server for the types of the parameters, and sends strings and
// slices of them as text where it does not know the type: nothing to declare.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const given, other = "507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012"

var conn *pgx.Conn

type Photo struct {
	ID int64 `json:"id,string"`
}

// The first column of all rows, separated by blanks.
func query(sql string, values ...interface{}) (string, error) {
	rows, err := conn.Query(context.Background(), sql, values...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return "", err
		}
		all = append(all, value)
	}
	return strings.Join(all, " "), rows.Err()
}

func print(label string, sql string, values ...interface{}) {
	result, err := query(sql, values...)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		result = pgErr.Code
	} else if err != nil {
		result = err.Error()
	}
	fmt.Println(label, result)
}

// The bound of a feed, less an id
func settled(q interface {
	QueryRow(ctx context.Context, sql string, args ...interface{}) pgx.Row
}, last int64) int64 {
	var upto int64
	if err := q.QueryRow(context.Background(), "CALL settled_snowflake('feed_id', NULL)").Scan(&upto); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return upto - last
}

func main() {
	var err error
	if conn, err = pgx.Connect(context.Background(), ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	both := []string{given, other}

	print("given", "INSERT INTO item (id, name, related) VALUES ($1, 'given', $2) RETURNING id", given, both)
	print("other", "INSERT INTO item (id, name) VALUES ($1, 'other') RETURNING id", other)
	print("generated", "INSERT INTO item (name) VALUES ('generated') RETURNING length(id::text)::text")
	print("equal", "SELECT name FROM item WHERE id = $1", given)
	print("any", "SELECT name FROM item WHERE id = ANY ($1) ORDER BY id", both)
	print("in", "SELECT name FROM item WHERE id IN ($1, $2) ORDER BY id", given, other)
	print("after", "SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 1", given)
	print("typed", "SELECT name FROM item WHERE id = $1::text", given)
	from := time.Date(2012, time.October, 17, 21, 13, 27, 0, time.UTC)
	print("within", "SELECT name FROM item WHERE id >= $1::timestamptz AND id < $2::timestamptz ORDER BY id", from, from.Add(time.Second))
	print("array", "SELECT unnest(related) FROM item WHERE id = $1", given)
	print("json", "SELECT to_json(item) ->> 'id' FROM item WHERE id = $1", given)
	print("bigint", "SELECT id::text FROM photo ORDER BY layout")
	var made int64
	var text string
	if err = conn.QueryRow(context.Background(), "INSERT INTO photo (layout) VALUES ('twitter') RETURNING id, id::text").Scan(&made, &text); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	fmt.Println("made", map[bool]string{true: "same", false: text}[fmt.Sprint(made) == text])
	names := pgx.CopyFromSlice(1000, func(int) ([]interface{}, error) { return []interface{}{"bulk"}, nil })
	if _, err = conn.CopyFrom(context.Background(), pgx.Identifier{"item"}, []string{"name"}, names); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	print("bulk", "SELECT count(DISTINCT id)::text FROM item WHERE name = 'bulk'")
	photo := Photo{}
	if err = conn.QueryRow(context.Background(), "SELECT id FROM photo WHERE layout = 'instagram'").Scan(&photo.ID); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	asJSON, _ := json.Marshal(photo)
	fmt.Println("string", strings.Trim(string(asJSON), `{}`))
	print("invalid", "SELECT FROM item WHERE id = $1", "no id")

	// The bound of a feed, in a transaction block and outside of one
	var last int64
	if err = conn.QueryRow(context.Background(), "SELECT last_value FROM feed_id").Scan(&last); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	tx, err := conn.Begin(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	inBlock := settled(tx, last)
	tx.Commit(context.Background())
	fmt.Println("feed", inBlock, settled(conn, last))
}
