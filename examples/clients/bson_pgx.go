// primitive.ObjectID of MongoDB's driver in and out of pgx and database/sql: a
// parameter and a target of Scan can be an ObjectID, or a *ObjectID for NULL.
package main

import (
	"database/sql/driver"
	"fmt"

	"go.mongodb.org/mongo-driver/bson/primitive"
)

type ObjectID struct{ primitive.ObjectID }

func (id ObjectID) Value() (driver.Value, error) { return id.Hex(), nil }

func (id *ObjectID) Scan(value interface{}) (err error) {
	switch digits := value.(type) {
	case string: // of pgx
		id.ObjectID, err = primitive.ObjectIDFromHex(digits)
	case []byte: // of lib/pq
		id.ObjectID, err = primitive.ObjectIDFromHex(string(digits))
	default:
		err = fmt.Errorf("cannot scan %T into an ObjectID: scan NULL into a *ObjectID", value)
	}
	return err
}
