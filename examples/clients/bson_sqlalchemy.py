# bson.ObjectId in and out of SQLAlchemy with any driver: Column(ObjectIdType), and
# Column(ObjectIdArray) for objectid[].
from bson import ObjectId
from sqlalchemy import Text, cast, type_coerce
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import TypeDecorator, UserDefinedType


class ObjectIdType(UserDefinedType):
    cache_ok = True
    render_bind_cast = True  # for drivers that declare their parameters

    def get_col_spec(self, **kw):
        return "objectid"

    def bind_processor(self, dialect):
        return lambda value: value and str(value)

    # digits or an ObjectId, as the driver gives them
    def result_processor(self, dialect, coltype):
        return lambda value: value and ObjectId(value)


# Read as text[], which every driver knows; objectid[] would have to be registered.
class ObjectIdArray(TypeDecorator):
    impl = ARRAY(ObjectIdType)
    cache_ok = True

    # the index of an element is no array
    def coerce_compared_value(self, op, value):
        return self if isinstance(value, list) else self.impl.coerce_compared_value(op, value)

    def column_expression(self, column):
        return type_coerce(cast(column, ARRAY(Text)), self)
