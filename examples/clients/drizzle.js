// Drizzle: a custom type of one line.
const { asc, eq, gt, inArray, sql } = require('drizzle-orm');
const { drizzle } = require('drizzle-orm/node-postgres');
const { bigint, customType, pgTable, text } = require('drizzle-orm/pg-core');
const assert = require('node:assert');
const { Client, types } = require('pg');

const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';
const FROM = new Date('2012-10-17T21:13:27Z'), TO = new Date('2012-10-17T21:13:28Z');

const objectid = customType({ dataType: () => 'objectid' });
const item = pgTable('item', {
  id: objectid('id').primaryKey().default(sql`gen_objectid()`),
  name: text('name').notNull(),
  related: objectid('related').array(),
});
const photo = pgTable('photo', {
  id: bigint('id', { mode: 'bigint' }).primaryKey().default(sql`next_snowflake('photo_id', 5, 'twitter')`),
  layout: text('layout').notNull(),
});

async function main() {
  const client = new Client();
  await client.connect();
  const db = drizzle(client);
  const names = rows => rows.map(row => row.name).join(' ');

  const [given] = await db.insert(item).values({ id: GIVEN, name: 'given', related: [GIVEN, OTHER] }).returning();
  console.log('given', given.id);
  await db.insert(item).values({ id: OTHER, name: 'other' });
  const [generated] = await db.insert(item).values({ name: 'generated' }).returning();
  console.log('generated', generated.id.length);

  console.log('equal', names(await db.select().from(item).where(eq(item.id, GIVEN))));
  console.log('any', names(await db.select().from(item).where(sql`${item.id} = ANY (${sql.param([GIVEN, OTHER])})`).orderBy(asc(item.id))));
  console.log('in', names(await db.select().from(item).where(inArray(item.id, [GIVEN, OTHER])).orderBy(asc(item.id))));
  console.log('after', names(await db.select().from(item).where(gt(item.id, GIVEN)).orderBy(asc(item.id)).limit(1)));
  console.log('typed', names(await db.select().from(item).where(sql`${item.id} = CAST(${GIVEN} AS text)`)));
  const within = sql`${item.id} >= ${FROM.toISOString()}::timestamptz AND ${item.id} < ${TO.toISOString()}::timestamptz`;
  console.log('within', names(await db.select().from(item).where(within).orderBy(asc(item.id))));
  console.log('array', given.related.join(' '));
  const [{ json }] = await db.select({ json: sql`to_json(${item.id})` }).from(item).where(eq(item.id, GIVEN));
  console.log('json', json);
  const photos = await db.select().from(photo).orderBy(asc(photo.layout));
  console.log('bigint', photos.map(row => row.id).join(' '));

  const [made] = await db.insert(photo).values({ layout: 'twitter' }).returning({ id: photo.id, text: sql`id::text` });
  console.log('made', String(made.id) === made.text ? 'same' : made);
  assert.throws(() => JSON.stringify(made.id), TypeError); // a BigInt: String(made.id)
  const many = await db.insert(item).values(Array(1000).fill({ name: 'bulk' })).returning();
  console.log('bulk', new Set(many.map(row => row.id)).size);

  await db.select().from(item).where(eq(item.id, 'no id')).catch(error => console.log('invalid', (error.cause ?? error).code));
  await client.end();
}

main().catch(error => { console.error(error); process.exit(1); });
