// ObjectID with pgx: nothing to register.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
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

func main() {
	given, other := parsed("507f1f77bcf86cd799439011"), parsed("507f1f77bcf86cd799439012")
	background := context.Background()
	conn, err := pgx.Connect(background, "")
	check(err)

	var id ObjectID
	check(conn.QueryRow(background, "INSERT INTO item (id, name) VALUES ($1, 'given') RETURNING id", given).Scan(&id))
	fmt.Println("given", id.Hex())
	_, err = conn.Exec(background, "INSERT INTO item (id, name) VALUES ($1, 'other')", other)
	check(err)
	check(conn.QueryRow(background, "INSERT INTO item (name) VALUES ('generated') RETURNING id").Scan(&id))
	fmt.Println("generated", id.Timestamp().After(given.Timestamp()))
	check(conn.QueryRow(background, "SELECT id FROM item WHERE id = $1", given).Scan(&id))
	fmt.Println("text", map[bool]string{true: "same", false: id.Hex()}[id == given])

	var present, null *ObjectID
	check(conn.QueryRow(background, "SELECT id, $2::objectid FROM item WHERE id = $1", &given, null).Scan(&present, &null))
	fmt.Println("null", *present == given && null == nil)

	rows, err := conn.Query(background, "SELECT name FROM item WHERE id IN ($1, $2) ORDER BY id", given, other)
	check(err)
	var names []string
	for rows.Next() {
		var name string
		check(rows.Scan(&name))
		names = append(names, name)
	}
	check(rows.Err())
	fmt.Println("in", strings.Join(names, " "))
}
