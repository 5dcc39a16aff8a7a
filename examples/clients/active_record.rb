# Active Record takes a type that it does not know as a string, and says so once:
# nothing to declare, but for arrays.
require 'active_record'
require 'stringio'

GIVEN, OTHER = '507f1f77bcf86cd799439011', '507f1f77bcf86cd799439012'
FROM, TO = [27, 28].map { |second| Time.utc(2012, 10, 17, 21, 13, second) }

ActiveRecord::Base.establish_connection(adapter: 'postgresql')

class Item < ActiveRecord::Base
  self.table_name = 'item'
  attribute :related, :string, array: true
end

class Photo < ActiveRecord::Base
  self.table_name = 'photo'
  attribute :id, :string # in JSON, too
end

puts "given #{Item.create!(id: GIVEN, name: 'given', related: [GIVEN, OTHER]).id}"
Item.create!(id: OTHER, name: 'other')
puts "generated #{Item.create!(name: 'generated').id.length}"

puts "equal #{Item.find(GIVEN).name}"
puts "any #{Item.where('id = ANY (ARRAY[?]::objectid[])', [GIVEN, OTHER]).order(:id).pluck(:name).join(' ')}"
puts "in #{Item.where(id: [GIVEN, OTHER]).order(:id).pluck(:name).join(' ')}"
puts "after #{Item.where('id > ?', GIVEN).order(:id).first.name}"
puts "typed #{Item.find_by('id = CAST(? AS text)', GIVEN).name}"
puts "within #{Item.where('id >= ?::timestamptz AND id < ?::timestamptz', FROM, TO).order(:id).pluck(:name).join(' ')}"
puts "array #{Item.find(GIVEN).related.join(' ')}"
puts "json #{Item.find(GIVEN).as_json['id']}"
puts "bigint #{Photo.order('layout').pluck(:id).join(' ')}"
made = Photo.create!(layout: 'twitter').id
puts "made #{made.to_s == Photo.where(id: made).pluck(Arel.sql('id::text AS text')).first ? 'same' : made}"
puts "string #{Photo.find_by(layout: 'instagram').as_json['id'].to_json}"
puts "bulk #{Item.insert_all([{ name: 'bulk' }] * 1000, returning: :id).rows.uniq.size}"
source = ActiveRecord::VERSION::STRING < '7.2' ? ActiveRecord::Base.connection : ActiveRecord::Base.connection_pool
ActiveRecord::SchemaDumper.dump(source, schema = StringIO.new)
puts "schema.rb #{schema.string.scan(/create_table "(\w+)"/).join(' ')}"
begin
  Item.find('no id')
rescue ActiveRecord::StatementInvalid => e
  puts "invalid #{e.cause.result.error_field(PG::Result::PG_DIAG_SQLSTATE)}"
end
