// node-postgres sends strings and arrays untyped: nothing to declare.
const { Client, types } = require('pg');

const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';
const FROM = new Date('2012-10-17T21:13:27Z'), TO = new Date('2012-10-17T21:13:28Z');

async function main() {
  const client = new Client();
  await client.connect();
  const query = async (text, values) => (await client.query(text, values)).rows;
  const names = rows => rows.map(row => row.name).join(' ');

  // Only to get objectid[] as an array instead of the text "{...}".
  const [{ oid }] = await query("SELECT 'objectid[]'::regtype::oid AS oid");
  types.setTypeParser(oid, types.getTypeParser(1009)); // as text[]

  const [given] = await query("INSERT INTO item (id, name, related) VALUES ($1, 'given', $2) RETURNING id", [GIVEN, [GIVEN, OTHER]]);
  console.log('given', given.id);
  await query("INSERT INTO item (id, name) VALUES ($1, 'other')", [OTHER]);
  const [generated] = await query("INSERT INTO item (name) VALUES ('generated') RETURNING id");
  console.log('generated', generated.id.length);

  console.log('equal', names(await query('SELECT name FROM item WHERE id = $1', [GIVEN])));
  console.log('any', names(await query('SELECT name FROM item WHERE id = ANY ($1) ORDER BY id', [[GIVEN, OTHER]])));
  console.log('in', names(await query('SELECT name FROM item WHERE id IN ($1, $2) ORDER BY id', [GIVEN, OTHER])));
  console.log('after', names(await query('SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 1', [GIVEN])));
  console.log('typed', names(await query('SELECT name FROM item WHERE id = CAST($1 AS text)', [GIVEN])));
  console.log('within', names(await query('SELECT name FROM item WHERE id >= $1::timestamptz AND id < $2::timestamptz ORDER BY id', [FROM, TO])));
  const [item] = await query('SELECT related, to_json(item) AS json FROM item WHERE id = $1', [GIVEN]);
  console.log('array', item.related.join(' '));
  console.log('json', item.json.id);

  // A bigint comes as a string, with all its digits.  As a number, which JSON
  // makes of it in any case, only the layout js53 keeps them; or send text.
  const photos = await query(`SELECT id, to_json(id) AS number, to_json(id::text) AS text FROM photo ORDER BY layout`);
  console.log('bigint', photos.map(photo => photo.id).join(' '));
  console.log('exact numbers', photos.map(photo => String(photo.number) === photo.id).join(' '));
  console.log('exact text', photos.map(photo => photo.text === photo.id).join(' '));

  const [made] = await query("INSERT INTO photo (layout) VALUES ('twitter') RETURNING id, id::text AS text");
  console.log('made', made.id === made.text ? 'same' : made);
  const many = await query('INSERT INTO item (name) SELECT * FROM unnest($1::text[]) RETURNING id', [Array(1000).fill('bulk')]);
  console.log('bulk', new Set(many.map(row => row.id)).size);

  await query('SELECT FROM item WHERE id = $1', ['no id']).catch(error => console.log('invalid', error.code));

  // The bound of a feed, in a transaction block and outside of one
  const settled = async () => BigInt((await client.query("CALL settled_snowflake('feed_id', NULL)")).rows[0].upto);
  const last = BigInt((await query('SELECT last_value FROM feed_id'))[0].last_value);
  await query('BEGIN');
  const inBlock = await settled();
  await query('COMMIT');
  console.log('feed', String(inBlock - last), String(await settled() - last));
  await client.end();
}

main().catch(error => { console.error(error); process.exit(1); });
