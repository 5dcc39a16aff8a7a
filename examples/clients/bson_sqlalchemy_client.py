# bson.ObjectId with SQLAlchemy.
import os

from bson import ObjectId
from bson_sqlalchemy import ObjectIdArray, ObjectIdType
from sqlalchemy import Column, FetchedValue, MetaData, Table, Text, create_engine, insert, select

GIVEN, OTHER = ObjectId("507f1f77bcf86cd799439011"), ObjectId("507f1f77bcf86cd799439012")

engine = create_engine("postgresql+%s://" % os.environ.get("DRIVER", "psycopg2"))

item = Table("item", MetaData(), Column("id", ObjectIdType, primary_key=True, server_default=FetchedValue()), Column("name", Text),
             Column("related", ObjectIdArray))
with engine.begin() as connection:
    print("given", connection.execute(insert(item).values(id=GIVEN, name="given", related=[GIVEN, None]).returning(item.c.id)).scalar())
    connection.execute(insert(item).values(id=OTHER, name="other"))
    generated = connection.execute(insert(item).values(name="generated").returning(item.c.id)).scalar()
    print("generated", generated.generation_time > GIVEN.generation_time)
    found = connection.execute(select(item.c.id).where(item.c.id == GIVEN)).scalar()
    print("text", "same" if found == GIVEN else found)
    names = connection.execute(select(item.c.name).where(item.c.id.in_([GIVEN, OTHER])).order_by(item.c.id))
    print("in", *names.scalars())
    print("in empty", len(connection.execute(select(item.c.name).where(item.c.id.in_([]))).all()))
    arrays = connection.execute(select(item.c.related).where(item.c.name != "generated").order_by(item.c.id)).scalars().all()
    print("arrays", "same" if arrays == [[GIVEN, None], None] else arrays)
    nested = connection.execute(insert(item).values(name="nested", related=[[GIVEN], [OTHER]]).returning(item.c.related)).scalar()
    print("nested", "same" if nested == [[GIVEN], [OTHER]] else nested)
    for condition in item.c.related.contains([GIVEN]), item.c.related.any(GIVEN):
        names = connection.execute(select(item.c.name).where(condition).order_by(item.c.id)).scalars()
        print("contains", *names)
    print("element", connection.execute(select(item.c.related[1]).where(item.c.id == GIVEN)).scalar())
