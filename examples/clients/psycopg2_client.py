# psycopg2 knows nothing of objectid and puts strings into the statement as
# untyped literals: nothing to declare.  A list becomes an array of text, which
# must be cast.
import io
from datetime import datetime, timezone

import psycopg2
from psycopg2 import extensions

GIVEN, OTHER = "507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012"
FROM, TO = (datetime(2012, 10, 17, 21, 13, second, tzinfo=timezone.utc) for second in (27, 28))

connection = psycopg2.connect("")
cursor = connection.cursor()

# Only to get objectid[] as a list of strings instead of the text "{...}".
cursor.execute("SELECT 'objectid[]'::regtype::oid")
extensions.register_type(extensions.new_array_type(cursor.fetchone(), "OBJECTID[]", psycopg2.STRING))

cursor.execute("INSERT INTO item (id, name, related) VALUES (%s, 'given', %s::objectid[]) RETURNING id",
               (GIVEN, [GIVEN, OTHER]))
print("given", cursor.fetchone()[0])
cursor.execute("INSERT INTO item (id, name) VALUES (%s, 'other')", (OTHER,))
cursor.execute("INSERT INTO item (name) VALUES ('generated') RETURNING id")
print("generated", len(cursor.fetchone()[0]))

cursor.execute("SELECT name FROM item WHERE id = %s", (GIVEN,))
print("equal", cursor.fetchone()[0])
cursor.execute("SELECT name FROM item WHERE id = ANY (%s::objectid[]) ORDER BY id", ([GIVEN, OTHER],))
print("any", *[row[0] for row in cursor])
cursor.execute("SELECT name FROM item WHERE id IN %s ORDER BY id", ((GIVEN, OTHER),))
print("in", *[row[0] for row in cursor])
cursor.execute("SELECT name FROM item WHERE id > %s ORDER BY id LIMIT 1", (GIVEN,))
print("after", cursor.fetchone()[0])
cursor.execute("SELECT name FROM item WHERE id = %s::text", (GIVEN,))
print("typed", cursor.fetchone()[0])
cursor.execute("SELECT name FROM item WHERE id >= %s AND id < %s ORDER BY id", (FROM, TO))
print("within", *[row[0] for row in cursor])
cursor.execute("SELECT related FROM item WHERE id = %s", (GIVEN,))
print("array", *cursor.fetchone()[0])
cursor.execute("SELECT to_json(item) FROM item WHERE id = %s", (GIVEN,))
print("json", cursor.fetchone()[0]["id"])
cursor.copy_expert("COPY item (name) FROM STDIN", io.StringIO("bulk\n" * 1000))
cursor.execute("SELECT count(DISTINCT id) FROM item WHERE name = 'bulk'")
print("bulk", cursor.fetchone()[0])
cursor.execute("SELECT id FROM photo ORDER BY layout")
print("bigint", *[row[0] for row in cursor])
cursor.execute("INSERT INTO photo (layout) VALUES ('twitter') RETURNING id, id::text")
made, text = cursor.fetchone()
print("made", "same" if str(made) == text else made)

try:
    cursor.execute("SELECT FROM item WHERE id = %s", ("no id",))
except psycopg2.Error as error:
    print("invalid", error.pgcode)
connection.rollback()


# The bound of a feed, in a transaction block and outside of one
def settled():
    cursor.execute("CALL settled_snowflake('feed_id', NULL)")
    return cursor.fetchone()[0]


cursor.execute("SELECT last_value FROM feed_id")
last = cursor.fetchone()[0]
in_block = settled()
connection.commit()
connection.autocommit = True
print("feed", in_block - last, settled() - last)
