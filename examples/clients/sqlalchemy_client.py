# SQLAlchemy: a type of a few lines, with any driver.
from datetime import datetime, timezone

import psycopg2
from psycopg2 import extensions
from sqlalchemy import BigInteger, Column, DateTime, Text, cast, create_engine, event, func, insert, literal, select, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.types import UserDefinedType

GIVEN, OTHER = "507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012"
FROM, TO = (datetime(2012, 10, 17, 21, 13, second, tzinfo=timezone.utc) for second in (27, 28))


class ObjectId(UserDefinedType):
    cache_ok = True
    render_bind_cast = True  # for drivers that declare their parameters

    def get_col_spec(self, **kw):
        return "objectid"


Base = declarative_base()


class Item(Base):
    __tablename__ = "item"
    id = Column(ObjectId, primary_key=True, server_default=text("gen_objectid()"))
    name = Column(Text)
    related = Column(ARRAY(ObjectId))


class Photo(Base):
    __tablename__ = "photo"
    id = Column(BigInteger, primary_key=True, autoincrement=False,
                server_default=text("next_snowflake('photo_id', 5, 'twitter')"))
    layout = Column(Text)


engine = create_engine("postgresql://")


# Only to get objectid[] as a list of strings instead of the text "{...}".
@event.listens_for(engine, "connect")
def register_array(connection, record):
    cursor = connection.cursor()
    cursor.execute("SELECT to_regtype('objectid[]')::oid")
    oids = cursor.fetchone()
    connection.rollback()  # SQLAlchemy expects no transaction
    if oids[0]:  # not before a migration has created the extension
        extensions.register_type(extensions.new_array_type(oids, "OBJECTID[]", psycopg2.STRING), connection)


session = Session(engine)
item = Item(id=GIVEN, name="given", related=[GIVEN, OTHER])
generated = Item(name="generated")
session.add_all([item, Item(id=OTHER, name="other"), generated])
session.commit()

print("given", item.id)
print("generated", len(generated.id))
print("equal", session.execute(select(Item.name).where(Item.id == GIVEN)).scalar())
both = cast([GIVEN, OTHER], ARRAY(ObjectId))
print("any", *session.execute(select(Item.name).where(Item.id == func.any(both)).order_by(Item.id)).scalars())
print("in", *session.execute(select(Item.name).where(Item.id.in_([GIVEN, OTHER])).order_by(Item.id)).scalars())
print("in empty", len(session.execute(select(Item.name).where(Item.id.in_([]))).all()))
print("after", session.execute(select(Item.name).where(Item.id > GIVEN).order_by(Item.id).limit(1)).scalar())
typed = session.execute(text("SELECT name FROM item WHERE id = CAST(:given AS text)"), {"given": GIVEN})
print("typed", typed.scalar())
within = Item.id.op(">=")(literal(FROM, DateTime(True))), Item.id.op("<")(literal(TO, DateTime(True)))
print("within", *session.execute(select(Item.name).where(*within).order_by(Item.id)).scalars())
print("array", *item.related)
print("json", session.execute(select(func.to_json(Item.id)).where(Item.id == GIVEN)).scalar())
print("bigint", *session.execute(select(Photo.id).order_by(Photo.layout)).scalars())
made = Photo(layout="twitter")
session.add(made)
session.flush()
as_text = session.execute(text("SELECT id::text FROM photo WHERE layout = 'twitter'")).scalar()
print("made", "same" if str(made.id) == as_text else made.id)
session.execute(insert(Item), [{"name": "bulk"}] * 1000)
print("bulk", session.execute(select(func.count(Item.id.distinct())).where(Item.name == "bulk")).scalar())
try:
    session.execute(select(Item).where(Item.id == "no id"))
except DBAPIError as error:
    print("invalid", error.orig.pgcode)

# a new connection to a database without the extension
other = create_engine("postgresql:///postgres", execution_options={"postgresql_readonly": True})
event.listen(other, "connect", register_array)
with other.connect() as connection:
    print("no extension", connection.execute(text("SHOW transaction_read_only")).scalar())
