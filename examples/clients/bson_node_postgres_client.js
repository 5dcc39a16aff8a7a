// ObjectId with node-postgres: registerObjectId() once.
const { ObjectId } = require('bson');
const { Client } = require('pg');
const { registerObjectId } = require('./bson_node_postgres');

const GIVEN = new ObjectId('507f1f77bcf86cd799439011'), OTHER = new ObjectId('507f1f77bcf86cd799439012');

async function main() {
  const client = new Client();
  await client.connect();
  await registerObjectId(client);
  const query = async (text, values) => (await client.query(text, values)).rows;
  const same = (label, found, wanted) => console.log(label, wanted.every((id, i) => id.equals(found[i])) ? 'same' : found);

  const [given] = await query("INSERT INTO item (id, name, related) VALUES ($1, 'given', $2) RETURNING id", [GIVEN, [GIVEN, OTHER]]);
  console.log('given', given.id.toHexString());
  await query("INSERT INTO item (id, name) VALUES ($1, 'other')", [OTHER]);
  const [generated] = await query("INSERT INTO item (name) VALUES ('generated') RETURNING id");
  console.log('generated', generated.id.getTimestamp() > GIVEN.getTimestamp());

  const [item] = await query('SELECT id, related FROM item WHERE id = $1', [GIVEN]);
  same('text', [item.id, ...item.related], [GIVEN, GIVEN, OTHER]);
  // a Buffer is sent in binary
  same('binary', (await query('SELECT id FROM item WHERE id = $1', [Buffer.from(GIVEN.id)])).map(row => row.id), [GIVEN]);
  const names = await query('SELECT name FROM item WHERE id = ANY ($1) ORDER BY id', [[GIVEN, OTHER]]);
  console.log('any', names.map(row => row.name).join(' '));
  const [nested] = await query("INSERT INTO item (name, related) VALUES ('nested', $1) RETURNING related", [[[GIVEN, null], [OTHER, GIVEN]]]);
  console.log('nested', JSON.stringify(nested.related) === JSON.stringify([[GIVEN, null], [OTHER, GIVEN]]) ? 'same' : nested.related);
  await client.end();
}

main().catch(error => { console.error(error); process.exit(1); });
