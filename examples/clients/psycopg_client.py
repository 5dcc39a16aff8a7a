# psycopg 3 sends strings and lists of them untyped: nothing to declare, except to
# read arrays and for COPY in binary.
from datetime import datetime, timezone

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

GIVEN, OTHER = "507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012"
FROM, TO = (datetime(2012, 10, 17, 21, 13, second, tzinfo=timezone.utc) for second in (27, 28))

connection = psycopg.connect("")

# Only to get objectid[] as a list of strings instead of the text "{...}".
objectid = TypeInfo.fetch(connection, "objectid")
objectid.register(connection)

row = connection.execute("INSERT INTO item (id, name, related) VALUES (%s, 'given', %s) RETURNING id",
                         (GIVEN, [GIVEN, OTHER])).fetchone()
print("given", row[0])
connection.execute("INSERT INTO item (id, name) VALUES (%s, 'other')", (OTHER,))
row = connection.execute("INSERT INTO item (name) VALUES ('generated') RETURNING id").fetchone()
print("generated", len(row[0]))

print("equal", connection.execute("SELECT name FROM item WHERE id = %s", (GIVEN,)).fetchone()[0])
rows = connection.execute("SELECT name FROM item WHERE id = ANY (%s) ORDER BY id", ([GIVEN, OTHER],))
print("any", *[row[0] for row in rows])
rows = connection.execute("SELECT name FROM item WHERE id IN (%s, %s) ORDER BY id", (GIVEN, OTHER))
print("in", *[row[0] for row in rows])
rows = connection.execute("SELECT name FROM item WHERE id > %s ORDER BY id LIMIT 1", (GIVEN,))
print("after", rows.fetchone()[0])
print("typed", connection.execute("SELECT name FROM item WHERE id = %s::text", (GIVEN,)).fetchone()[0])
rows = connection.execute("SELECT name FROM item WHERE id >= %s AND id < %s ORDER BY id", (FROM, TO))
print("within", *[row[0] for row in rows])
print("array", *connection.execute("SELECT related FROM item WHERE id = %s", (GIVEN,)).fetchone()[0])
print("json", connection.execute("SELECT to_json(item) FROM item WHERE id = %s", (GIVEN,)).fetchone()[0]["id"])
print("bigint", *[row[0] for row in connection.execute("SELECT id FROM photo ORDER BY layout")])
made, text = connection.execute("INSERT INTO photo (layout) VALUES ('twitter') RETURNING id, id::text").fetchone()
print("made", "same" if str(made) == text else made)

try:
    with connection.transaction():
        connection.execute("SELECT FROM item WHERE id = %s", ("no id",))
except psycopg.Error as error:
    print("invalid", error.sqlstate)


with connection.cursor().copy("COPY item (name) FROM STDIN") as copy:
    for i in range(1000):
        copy.write_row(("bulk",))
print("bulk", connection.execute("SELECT count(DISTINCT id) FROM item WHERE name = 'bulk'").fetchone()[0])


# COPY in binary wants to be told the types, and how to write this one.
class ObjectId(str):
    pass


class ObjectIdDumper(Dumper):
    format = Format.BINARY
    oid = objectid.oid

    def dump(self, value):
        return bytes.fromhex(value)


connection.adapters.register_dumper(ObjectId, ObjectIdDumper)
with connection.cursor().copy("COPY item (id, name) FROM STDIN (FORMAT binary)") as copy:
    copy.set_types(["objectid", "text"])
    copy.write_row((ObjectId("507f1f77bcf86cd799439013"), "copied"))
print("copy", connection.execute("SELECT name FROM item WHERE id = '507f1f77bcf86cd799439013'").fetchone()[0])
connection.commit()


# The bound of a feed, in a transaction block and outside of one
def settled():
    return connection.execute("CALL settled_snowflake('feed_id', NULL)").fetchone()[0]


last = connection.execute("SELECT last_value FROM feed_id").fetchone()[0]
in_block = settled()
connection.commit()
connection.autocommit = True
print("feed", in_block - last, settled() - last)
