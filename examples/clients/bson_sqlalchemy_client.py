# bson.ObjectId with SQLAlchemy, sent as text and in binary.
import os

from bson import ObjectId
from bson_sqlalchemy import ObjectIdArray, ObjectIdType
from sqlalchemy import Column, FetchedValue, MetaData, Table, Text, create_engine, insert, select

GIVEN, OTHER = ObjectId("507f1f77bcf86cd799439011"), ObjectId("507f1f77bcf86cd799439012")

engine = create_engine("postgresql+%s://" % os.environ.get("DRIVER", "psycopg2"))


def table(id_type):
    return Table("item", MetaData(), Column("id", id_type, primary_key=True, server_default=FetchedValue()), Column("name", Text),
                 Column("related", ObjectIdArray))


as_text, as_binary = table(ObjectIdType), table(ObjectIdType(binary=True))
with engine.begin() as connection:
    print("given", connection.execute(insert(as_text).values(id=GIVEN, name="given", related=[GIVEN, None]).returning(as_text.c.id)).scalar())
    connection.execute(insert(as_binary).values(id=OTHER, name="other"))
    generated = connection.execute(insert(as_text).values(name="generated").returning(as_text.c.id)).scalar()
    print("generated", generated.generation_time > GIVEN.generation_time)
    for label, item in ("text", as_text), ("binary", as_binary):
        found = connection.execute(select(item.c.id).where(item.c.id == GIVEN)).scalar()
        print(label, "same" if found == GIVEN else found)
        names = connection.execute(select(item.c.name).where(item.c.id.in_([GIVEN, OTHER])).order_by(item.c.id))
        print(label, "in", *names.scalars())
    arrays = connection.execute(select(as_text.c.related).where(as_text.c.name != "generated").order_by(as_text.c.id)).scalars().all()
    print("arrays", "same" if arrays == [[GIVEN, None], None] else arrays)
    nested = connection.execute(insert(as_text).values(name="nested", related=[[GIVEN], [OTHER]]).returning(as_text.c.related)).scalar()
    print("nested", "same" if nested == [[GIVEN], [OTHER]] else nested)
    for condition in as_text.c.related.contains([GIVEN]), as_text.c.related.any(GIVEN):
        names = connection.execute(select(as_text.c.name).where(condition).order_by(as_text.c.id)).scalars()
        print("contains", *names)
    print("element", connection.execute(select(as_text.c.related[1]).where(as_text.c.id == GIVEN)).scalar())
