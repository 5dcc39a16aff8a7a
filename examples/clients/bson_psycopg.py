# bson.ObjectId in and out of psycopg 3, as text and in binary, alone and in arrays:
# register_objectid(connection).  For an AsyncConnection, or an extension outside of the
# search_path: register_objectid(connection, await TypeInfo.fetch(connection, "ids.objectid")).
from bson import ObjectId
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo


class TextLoader(Loader):
    def load(self, data):
        return ObjectId(bytes(data).decode())


class BinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data):
        return ObjectId(bytes(data))


def register_objectid(connection, info=None):
    info = info or TypeInfo.fetch(connection, "objectid")
    if info is None:
        raise LookupError("there is no type objectid in the search_path")

    class TextDumper(Dumper):
        oid = info.oid

        def dump(self, value):
            return str(value).encode()

    class BinaryDumper(TextDumper):
        format = Format.BINARY

        def dump(self, value):
            return value.binary

    info.register(connection)
    for loader in TextLoader, BinaryLoader:
        connection.adapters.register_loader(info.oid, loader)
    for dumper in BinaryDumper, TextDumper:  # the last is what %s means
        connection.adapters.register_dumper(ObjectId, dumper)
