# BSON::ObjectId with Active Record: the model names its attributes of that type.
require_relative 'bson_active_record'

GIVEN, OTHER = %w[507f1f77bcf86cd799439011 507f1f77bcf86cd799439012].map { |digits| BSON::ObjectId.from_string(digits) }

ActiveRecord::Base.establish_connection(adapter: 'postgresql')

class Item < ActiveRecord::Base
  self.table_name = 'item'
  attribute :id, :objectid
  attribute :related, :objectid, array: true
end

puts "given #{Item.create!(id: GIVEN, name: 'given', related: [GIVEN, OTHER]).reload.id}"
Item.create!(id: OTHER, name: 'other')
puts "generated #{Item.create!(name: 'generated').id.generation_time > GIVEN.generation_time}"

item = Item.find(GIVEN)
puts "text #{[item.id, *item.related] == [GIVEN, GIVEN, OTHER] ? 'same' : item.inspect}"
puts "in #{Item.where(id: [GIVEN, OTHER]).order(:id).pluck(:name).join(' ')}"
puts "after #{Item.where('id > ?', GIVEN.to_s).order(:id).first.name}"
found = ['no id', '', 5].flat_map { |id| [Item.find_by(id: id), *Item.where(id: [id]), *Item.where(id: id)] }
begin
  Item.find('no id')
rescue ActiveRecord::RecordNotFound
  puts "invalid #{found.compact.empty? ? 'not found' : found.inspect}"
end
