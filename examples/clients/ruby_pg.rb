# ruby-pg sends strings untyped and returns what it does not know as strings:
# nothing to declare.
require 'pg'

GIVEN, OTHER = '507f1f77bcf86cd799439011', '507f1f77bcf86cd799439012'

db = PG.connect
array = PG::TextEncoder::Array.new
query = ->(sql, *values) { db.exec_params(sql, values).values.map(&:first) }

puts "given #{query.("INSERT INTO item (id, name, related) VALUES ($1, 'given', $2) RETURNING id", GIVEN, array.encode([GIVEN, OTHER])).first}"
query.("INSERT INTO item (id, name) VALUES ($1, 'other')", OTHER)
puts "generated #{query.("INSERT INTO item (name) VALUES ('generated') RETURNING id").first.length}"

puts "equal #{query.('SELECT name FROM item WHERE id = $1', GIVEN).first}"
puts "any #{query.('SELECT name FROM item WHERE id = ANY ($1) ORDER BY id', array.encode([GIVEN, OTHER])).join(' ')}"
puts "in #{query.('SELECT name FROM item WHERE id IN ($1, $2) ORDER BY id', GIVEN, OTHER).join(' ')}"
puts "after #{query.('SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 1', GIVEN).first}"
puts "typed #{query.('SELECT name FROM item WHERE id = CAST($1 AS text)', GIVEN).first}"
puts "within #{query.('SELECT name FROM item WHERE id >= $1::timestamptz AND id < $2::timestamptz ORDER BY id', '2012-10-17 21:13:27Z', '2012-10-17 21:13:28Z').join(' ')}"
related = query.('SELECT related FROM item WHERE id = $1', GIVEN).first
puts "array #{PG::TextDecoder::Array.new.decode(related).join(' ')}"
puts "json #{query.("SELECT to_json(item) ->> 'id' FROM item WHERE id = $1", GIVEN).first}"
puts "bigint #{query.('SELECT id FROM photo ORDER BY layout').join(' ')}"
made, text = db.exec("INSERT INTO photo (layout) VALUES ('twitter') RETURNING id, id::text").values.first
puts "made #{made == text ? 'same' : made}"
db.copy_data('COPY item (name) FROM STDIN') { 1000.times { db.put_copy_data("bulk\n") } }
puts "bulk #{query.("SELECT count(DISTINCT id) FROM item WHERE name = 'bulk'").first}"
begin
  query.('SELECT FROM item WHERE id = $1', 'no id')
rescue PG::Error => e
  puts "invalid #{e.result.error_field(PG::Result::PG_DIAG_SQLSTATE)}"
end
