// ObjectId of npm's bson in and out of node-postgres, alone and in arrays:
// await registerObjectId(client), once for each process and database.
const { ObjectId } = require('bson');
const { types } = require('pg');

// what node-postgres asks of a parameter
ObjectId.prototype.toPostgres = function () {
  return this.toHexString();
};

async function registerObjectId(client) {
  const { rows: [{ id, ids }] } = await client.query(
    "SELECT 'objectid'::regtype::oid::int AS id, 'objectid[]'::regtype::oid::int AS ids");
  const strings = types.getTypeParser(1009); // of text[]
  types.setTypeParser(id, digits => new ObjectId(digits));
  types.setTypeParser(ids, text => strings(text).map(digits => digits && new ObjectId(digits)));
}

module.exports = { registerObjectId };
