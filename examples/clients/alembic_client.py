# Alembic: a migration that makes both kinds of key, and a comparison of the models with
# the database that finds no difference.
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import BigInteger, Column, MetaData, Table, create_engine, text
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.types import UserDefinedType


class ObjectId(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **kw):
        return "objectid"


# Without this, a column that is read from the database has no type.
ischema_names["objectid"] = ObjectId

# Defaults are compared as text: write them as PostgreSQL shows them.
OBJECTID = text("gen_objectid()")
SNOWFLAKE = text("next_snowflake('post_id'::regclass, 5, 'twitter'::snowflake_layout)")

metadata = MetaData()
Table("album", metadata, Column("id", ObjectId, primary_key=True, server_default=OBJECTID))
Table("post", metadata, Column("id", BigInteger, primary_key=True, autoincrement=False, server_default=SNOWFLAKE))

with create_engine("postgresql://").begin() as connection:
    context = MigrationContext.configure(connection, opts={
        "compare_type": True, "compare_server_default": True,
        "include_name": lambda name, kind, parents: kind != "table" or name in metadata.tables})
    with Operations.context(context) as op:
        op.execute("CREATE SEQUENCE post_id")
        op.create_table("album", Column("id", ObjectId, primary_key=True, server_default=OBJECTID))
        op.create_table("post", Column("id", BigInteger, primary_key=True, autoincrement=False, server_default=SNOWFLAKE))
    print("migration", len(compare_metadata(context, metadata)))
