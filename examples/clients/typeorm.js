// TypeORM must be told that PostgreSQL has the type.
const { DataSource, EntitySchema, In, MoreThan, Raw } = require('typeorm');

const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';
const TIMES = { from: new Date('2012-10-17T21:13:27Z'), to: new Date('2012-10-17T21:13:28Z') };
const { PGHOST: host, PGPORT: port, PGDATABASE: database, PGUSER: username, PGPASSWORD: password } = process.env;

const Item = new EntitySchema({
  name: 'item',
  columns: {
    id: { type: 'objectid', primary: true, default: () => 'gen_objectid()' },
    name: { type: 'text' },
    related: { type: 'objectid', array: true, nullable: true },
  },
});
const Photo = new EntitySchema({
  name: 'photo',
  columns: {
    id: { type: 'bigint', primary: true, default: () => "next_snowflake('photo_id', 5, 'twitter')" },
    layout: { type: 'text' },
  },
});

async function main() {
  const db = new DataSource({ type: 'postgres', host, port, database, username, password, entities: [Item, Photo] });
  db.driver.supportedDataTypes.push('objectid');
  await db.initialize();
  const items = db.getRepository('item'), photos = db.getRepository('photo');
  const names = async where => (await items.find({ where, order: { id: 'ASC' } })).map(item => item.name).join(' ');

  console.log('given', (await items.save({ id: GIVEN, name: 'given' })).id);
  await items.save({ id: OTHER, name: 'other' });
  console.log('generated', (await items.save({ name: 'generated' })).id.length);

  console.log('equal', await names({ id: GIVEN }));
  console.log('in', await names({ id: In([GIVEN, OTHER]) }));
  console.log('after', (await items.findOne({ where: { id: MoreThan(GIVEN) }, order: { id: 'ASC' } })).name);
  console.log('typed', await names({ id: Raw(id => `${id} = CAST(:given AS text)`, { given: GIVEN }) }));
  console.log('within', await names({ id: Raw(id => `${id} >= :from::timestamptz AND ${id} < :to::timestamptz`, TIMES) }));

  const { identifiers } = await items.insert(Array.from({ length: 1000 }, () => ({ name: 'bulk' })));
  console.log('bulk', new Set(identifiers.map(item => item.id)).size);
  console.log('bigint', (await photos.find({ order: { layout: 'ASC' } })).map(photo => photo.id).join(' '));
  const made = await photos.save({ layout: 'twitter' });
  const [{ text }] = await db.query("SELECT id::text AS text FROM photo WHERE layout = 'twitter'");
  console.log('made', made.id === text ? 'same' : made.id);
  await items.findOneBy({ id: 'no id' }).catch(error => console.log('invalid', error.code));
  const { upQueries } = await db.driver.createSchemaBuilder().log();
  console.log('migration', upQueries.length);
  await db.destroy();
}

main().catch(error => { console.error(error); process.exit(1); });
