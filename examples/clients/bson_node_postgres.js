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
    "SELECT 'objectid'::regtype::oid AS id, 'objectid[]'::regtype::oid AS ids");
  const parse = digits => new ObjectId(digits);
  types.setTypeParser(id, parse);
  types.setTypeParser(ids, text => types.arrayParser.create(text, parse).parse());
}

module.exports = { registerObjectId };
