// Kysely passes strings to node-postgres, which sends them without a type.  In the types of
// the database, objectid and bigint are "string".
const { Kysely, PostgresDialect, sql } = require('kysely');
const { Pool } = require('pg');

const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';
const FROM = new Date('2012-10-17T21:13:27Z'), TO = new Date('2012-10-17T21:13:28Z');

async function main() {
  const db = new Kysely({ dialect: new PostgresDialect({ pool: new Pool() }) });
  const items = db.selectFrom('item').select('name').orderBy('id');
  const names = async query => (await query.execute()).map(row => row.name).join(' ');

  const given = await db.insertInto('item').values({ id: GIVEN, name: 'given' }).returning('id').executeTakeFirst();
  console.log('given', given.id);
  await db.insertInto('item').values({ id: OTHER, name: 'other' }).execute();
  const generated = await db.insertInto('item').values({ name: 'generated' }).returning('id').executeTakeFirst();
  console.log('generated', generated.id.length);

  console.log('equal', await names(items.where('id', '=', GIVEN)));
  console.log('in', await names(items.where('id', 'in', [GIVEN, OTHER])));
  console.log('after', await names(items.where('id', '>', GIVEN).limit(1)));
  console.log('typed', await names(items.where('id', '=', sql`CAST(${GIVEN} AS text)`)));
  console.log('within', await names(items.where('id', '>=', sql`${FROM}::timestamptz`).where('id', '<', sql`${TO}::timestamptz`)));

  const many = await db.insertInto('item').values(Array(1000).fill({ name: 'bulk' })).returning('id').execute();
  console.log('bulk', new Set(many.map(row => row.id)).size);
  const photos = await db.selectFrom('photo').select('id').orderBy('layout').execute();
  console.log('bigint', photos.map(row => row.id).join(' '));
  const made = await db.insertInto('photo').values({ layout: 'twitter' }).returning(['id', sql`id::text`.as('text')]).executeTakeFirst();
  console.log('made', made.id === made.text ? 'same' : made);
  await names(items.where('id', '=', 'no id')).catch(error => console.log('invalid', error.code));
  await db.destroy();
}

main().catch(error => { console.error(error); process.exit(1); });
