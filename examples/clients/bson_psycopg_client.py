# bson.ObjectId with psycopg 3: register_objectid() once for each connection.
import asyncio

import psycopg
from bson import ObjectId
from bson_psycopg import register_objectid
from psycopg.types import TypeInfo

GIVEN, OTHER = ObjectId("507f1f77bcf86cd799439011"), ObjectId("507f1f77bcf86cd799439012")

connection = psycopg.connect("")
register_objectid(connection)

insert = "INSERT INTO item (id, name, related) VALUES (%s, 'given', %s) RETURNING id"
print("given", connection.execute(insert, (GIVEN, [GIVEN, OTHER])).fetchone()[0])
connection.execute("INSERT INTO item (id, name) VALUES (%b, 'other')", (OTHER,))
(generated,) = connection.execute("INSERT INTO item (name) VALUES ('generated') RETURNING id").fetchone()
print("generated", generated.generation_time > GIVEN.generation_time)

for label, sql, binary in ("text", "%t", False), ("binary", "%b", True):
    cursor = connection.cursor(binary=binary)
    cursor.execute(f"SELECT id, related FROM item WHERE id = {sql} AND related @> {sql}", (GIVEN, [OTHER]))
    print(label, *cursor.fetchone() == (GIVEN, [GIVEN, OTHER]) and ["same"])
    cursor.execute(f"SELECT name FROM item WHERE id = ANY ({sql}) ORDER BY id", ([GIVEN, OTHER],))
    print(label, "any", *[row[0] for row in cursor])

with connection.cursor().copy("COPY item (id, name) FROM STDIN (FORMAT binary)") as copy:
    copy.set_types(["objectid", "text"])
    copy.write_row((ObjectId("507f1f77bcf86cd799439013"), "copied"))
print("copy", connection.execute("SELECT id FROM item WHERE name = 'copied'").fetchone()[0])


async def ask():
    async with await psycopg.AsyncConnection.connect("") as connection:
        register_objectid(connection, await TypeInfo.fetch(connection, "objectid"))
        found = await (await connection.execute("SELECT %s, %s", (GIVEN, [GIVEN, OTHER]))).fetchone()
        print("async", "same" if found == (GIVEN, [GIVEN, OTHER]) else found)


asyncio.run(ask())
