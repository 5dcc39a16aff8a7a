# Active Record takes a type that it does not know as a string, and says so once:
# nothing to declare, but for arrays.
require 'active_record'

GIVEN, OTHER = '507f1f77bcf86cd799439011', '507f1f77bcf86cd799439012'

class Item < ActiveRecord::Base
  self.table_name = 'item'
  attribute :related, :string, array: true
end

class Photo < ActiveRecord::Base
  self.table_name = 'photo'
  self.primary_key = 'id'
end

ActiveRecord::Base.establish_connection(adapter: 'postgresql')
puts "given #{Item.create!(id: GIVEN, name: 'given', related: [GIVEN, OTHER]).id}"
Item.create!(id: OTHER, name: 'other')
puts "generated #{Item.create!(name: 'generated').id.length}"

puts "equal #{Item.find(GIVEN).name}"
puts "any #{Item.where('id = ANY (ARRAY[?]::objectid[])', [GIVEN, OTHER]).order(:id).pluck(:name).join(' ')}"
puts "in #{Item.where(id: [GIVEN, OTHER]).order(:id).pluck(:name).join(' ')}"
puts "after #{Item.where('id > ?', GIVEN).order(:id).first.name}"
puts "array #{Item.find(GIVEN).related.join(' ')}"
puts "json #{Item.find(GIVEN).as_json['id']}"
puts "bigint #{Photo.order('layout').pluck(:id).join(' ')}"
begin
  Item.find('no id')
rescue ActiveRecord::StatementInvalid => e
  puts "invalid #{e.cause.result.error_field(PG::Result::PG_DIAG_SQLSTATE)}"
end
