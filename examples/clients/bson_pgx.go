// primitive.ObjectID of MongoDB's driver in and out of pgx and database/sql: a
// parameter and a target of Scan can be an ObjectID.
package main

import (
	"database/sql/driver"
	"fmt"

	"go.mongodb.org/mongo-driver/bson/primitive"
)

type ObjectID struct{ primitive.ObjectID }

func (id ObjectID) Value() (driver.Value, error) { return id.Hex(), nil }

func (id *ObjectID) Scan(value interface{}) (err error) {
	digits, ok := value.(string)
	if !ok {
		return fmt.Errorf("cannot scan %T into an ObjectID", value)
	}
	id.ObjectID, err = primitive.ObjectIDFromHex(digits)
	return err
}
