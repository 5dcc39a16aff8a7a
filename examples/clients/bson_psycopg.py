# bson.ObjectId in and out of psycopg 3, as text and in binary, alone and in arrays:
# register_objectid(connection).
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


def register_objectid(connection):
    info = TypeInfo.fetch(connection, "objectid")

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
