// Prisma: its adapter for node-postgres sends strings untyped, and returns a type that
// it does not know as a string.  "prisma generate" makes the client of schema.prisma.
const { PrismaPg } = require('@prisma/adapter-pg');
const assert = require('node:assert');
const { Client, types } = require('pg');
const { PrismaClient } = require(process.env.PRISMA_CLIENT ?? './prisma_client');

const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';
const FROM = new Date('2012-10-17T21:13:27Z'), TO = new Date('2012-10-17T21:13:28Z');

// Only to get objectid[] as an array instead of the text "{...}".
async function registerArray() {
  const client = new Client();
  await client.connect();
  const { rows: [{ oid }] } = await client.query("SELECT 'objectid[]'::regtype::oid AS oid");
  types.setTypeParser(oid, types.getTypeParser(1009)); // as text[]
  await client.end();
}

async function main() {
  await registerArray();
  const db = new PrismaClient({ adapter: new PrismaPg({}) });
  const names = rows => rows.map(row => row.name).join(' ');

  const given = await db.item.create({ data: { id: GIVEN, name: 'given', related: [GIVEN, OTHER] } });
  console.log('given', given.id);
  await db.item.create({ data: { id: OTHER, name: 'other' } });
  console.log('generated', (await db.item.create({ data: { name: 'generated' } })).id.length);

  console.log('equal', (await db.item.findUnique({ where: { id: GIVEN } })).name);
  console.log('any', names(await db.$queryRaw`SELECT name FROM item WHERE id = ANY (${[GIVEN, OTHER]}) ORDER BY id`));
  console.log('in', names(await db.item.findMany({ where: { id: { in: [GIVEN, OTHER] } }, orderBy: { id: 'asc' } })));
  console.log('after', (await db.item.findFirst({ where: { id: { gt: GIVEN } }, orderBy: { id: 'asc' } })).name);
  console.log('typed', names(await db.$queryRaw`SELECT name FROM item WHERE id = CAST(${GIVEN} AS text)`));
  console.log('within', names(await db.$queryRaw`SELECT name FROM item WHERE id >= ${FROM}::timestamptz AND id < ${TO}::timestamptz ORDER BY id`));
  console.log('array', given.related.join(' '));
  const [{ json }] = await db.$queryRaw`SELECT to_json(item) AS json FROM item WHERE id = ${GIVEN}`;
  console.log('json', json.id);
  const photos = await db.photo.findMany({ orderBy: { layout: 'asc' } });
  console.log('bigint', photos.map(photo => photo.id).join(' '));

  const made = await db.photo.create({ data: { layout: 'twitter' } });
  const [{ text }] = await db.$queryRaw`SELECT id::text AS text FROM photo WHERE id = ${made.id}`;
  console.log('made', String(made.id) === text ? 'same' : made.id);
  assert.throws(() => JSON.stringify(made.id), TypeError); // a BigInt: String(made.id)
  const many = await db.item.createManyAndReturn({ data: Array(1000).fill({ name: 'bulk' }) });
  console.log('bulk', new Set(many.map(row => row.id)).size);

  await db.item.findUnique({ where: { id: 'no id' } })
    .catch(error => console.log('invalid', error.meta.driverAdapterError.cause.originalCode));
  await db.$disconnect();
}

main().catch(error => { console.error(error); process.exit(1); });
