# Django: three fields of a few lines.
import os
from datetime import datetime, timezone

import django
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import DataError, connection, models
from django.db.models import Value
from django.db.models.functions import Cast
from django.forms import RegexField, modelform_factory

GIVEN, OTHER = "507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012"
FROM, TO = (datetime(2012, 10, 17, 21, 13, second, tzinfo=timezone.utc) for second in (27, 28))

settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"]}})
django.setup()


# A key that the server makes.  Django writes every column in an INSERT, so it has to write
# the default.
class ServerDefault:
    db_returning = True  # read back

    def pre_save(self, instance, add):
        value = super().pre_save(instance, add)
        return self.server_default if add and value is None and self.primary_key else value


class ObjectIdField(ServerDefault, models.Field):
    empty_strings_allowed = False
    server_default = models.Func(function="gen_objectid")

    def db_type(self, connection):
        return "objectid"

    def formfield(self, **kwargs):
        return super().formfield(form_class=RegexField, regex="^[0-9a-fA-F]{24}$", empty_value=None, **kwargs)


class PhotoIdField(ServerDefault, models.BigIntegerField):
    server_default = models.Func(Value("photo_id"), Value(5), Value("twitter"), function="next_snowflake")


# Read as text[], which every driver knows; objectid[] would have to be registered.
class ObjectIdArrayField(ArrayField):
    def select_format(self, compiler, sql, params):
        return sql + "::text[]", params


class Item(models.Model):
    id = ObjectIdField(primary_key=True, editable=False)
    name = models.TextField()
    related = ObjectIdArrayField(ObjectIdField(), null=True)

    class Meta:
        app_label = "clients"
        db_table = "item"


class Photo(models.Model):
    id = PhotoIdField(primary_key=True, editable=False)
    layout = models.TextField()

    class Meta:
        app_label = "clients"
        db_table = "photo"


class Visit(models.Model):
    id = ObjectIdField(primary_key=True, editable=False)
    item = ObjectIdField(null=True, blank=True)

    class Meta:
        app_label = "clients"


Item.objects.create(id=GIVEN, name="given", related=[GIVEN, OTHER])
print("given", Item.objects.get(name="given").id)
Item.objects.create(id=OTHER, name="other")
print("generated", len(Item.objects.create(name="generated").id))

print("equal", Item.objects.get(id=GIVEN).name)
by_array = Item.objects.extra(where=["id = ANY (%s::objectid[])"], params=[[GIVEN, OTHER]])
print("any", *by_array.order_by("id").values_list("name", flat=True))
print("in", *Item.objects.filter(id__in=[GIVEN, OTHER]).order_by("id").values_list("name", flat=True))
print("after", Item.objects.filter(id__gt=GIVEN).order_by("id").first().name)
typed = Item.objects.extra(where=["id = %s::text"], params=[GIVEN])
print("typed", typed.get().name)
within = Item.objects.extra(where=["id >= %s AND id < %s"], params=[FROM, TO])
print("within", *within.order_by("id").values_list("name", flat=True))
print("array", *Item.objects.get(id=GIVEN).related)
to_json = models.Func("id", function="to_json", output_field=models.JSONField())
print("json", Item.objects.filter(id=GIVEN).annotate(json=Cast(to_json, models.TextField())).get().json.strip('"'))
print("bigint", *Photo.objects.order_by("layout").values_list("id", flat=True))
made = Photo.objects.create(layout="twitter").id
as_text = Photo.objects.filter(id=made).annotate(text=Cast("id", models.TextField())).get().text
print("made", "same" if str(made) == as_text else made)
with connection.schema_editor() as editor:
    editor.create_model(Visit)
print("reference", Visit.objects.create().item, Visit.objects.create(item=GIVEN).item)
form = modelform_factory(Visit, fields="__all__")
print("form reference", *[form({"item": item}).save().item for item in ("", GIVEN)], *form({"item": "no id"}).errors)
print("form", modelform_factory(Photo, fields="__all__")({"layout": "form"}).save().id > 0)
many = Item.objects.bulk_create([Item(name="bulk") for i in range(1000)])
print("bulk", len({item.id for item in many}))
try:
    Item.objects.get(id="no id")
except DataError as error:
    print("invalid", error.__cause__.diag.sqlstate)
