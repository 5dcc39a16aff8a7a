// Sequelize takes the name of a type that it does not know.
const { Op, Sequelize } = require('sequelize');

const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';
const { PGHOST: host, PGPORT: port, PGDATABASE: database, PGUSER: user, PGPASSWORD: password } = process.env;

async function main() {
  const db = new Sequelize(database, user, password, { dialect: 'postgres', host, port, logging: false });
  const options = { timestamps: false, freezeTableName: true };
  const Item = db.define('item', {
    id: { type: 'objectid', primaryKey: true, defaultValue: db.literal('gen_objectid()') },
    name: Sequelize.TEXT,
  }, options);
  const Photo = db.define('photo', {
    id: { type: Sequelize.BIGINT, primaryKey: true, defaultValue: db.literal("next_snowflake('photo_id', 5, 'twitter')") },
    layout: Sequelize.TEXT,
  }, options);
  const names = async where => (await Item.findAll({ where, order: ['id'] })).map(item => item.name).join(' ');

  console.log('given', (await Item.create({ id: GIVEN, name: 'given' })).id);
  await Item.create({ id: OTHER, name: 'other' });
  console.log('generated', (await Item.create({ name: 'generated' })).id.length);

  console.log('equal', (await Item.findByPk(GIVEN)).name);
  console.log('in', await names({ id: [GIVEN, OTHER] }));
  console.log('after', (await Item.findOne({ where: { id: { [Op.gt]: GIVEN } }, order: ['id'] })).name);
  console.log('typed', await names({ id: { [Op.eq]: db.cast(GIVEN, 'text') } }));
  const time = text => db.cast(text, 'timestamptz');
  console.log('within', await names({ id: { [Op.gte]: time('2012-10-17 21:13:27Z'), [Op.lt]: time('2012-10-17 21:13:28Z') } }));

  const many = await Item.bulkCreate(Array(1000).fill({ name: 'bulk' }));
  console.log('bulk', new Set(many.map(item => item.id)).size);
  console.log('bigint', (await Photo.findAll({ order: ['layout'] })).map(photo => photo.id).join(' '));
  const made = await Photo.create({ layout: 'twitter' });
  const [{ text }] = await db.query("SELECT id::text AS text FROM photo WHERE layout = 'twitter'", { type: 'SELECT' });
  console.log('made', made.id === text ? 'same' : made.id);
  await Item.findByPk('no id').catch(error => console.log('invalid', error.parent.code));
  await db.close();
}

main().catch(error => { console.error(error); process.exit(1); });
