# BSON::ObjectId in and out of Active Record: attribute :id, :objectid
require 'active_record'
require 'bson'

class ObjectIdType < ActiveRecord::Type::Value
  def type
    :objectid
  end

  def serialize(value)
    cast(value)&.to_s
  end

  private

  def cast_value(value)
    value.is_a?(BSON::ObjectId) ? value : BSON::ObjectId.from_string(value.to_s)
  end
end

ActiveRecord::Type.register(:objectid, ObjectIdType, adapter: :postgresql)
