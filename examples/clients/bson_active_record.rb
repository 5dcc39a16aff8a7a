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

  # what is no ObjectId is nil, as for Active Record's own uuid: not found
  def cast_value(value)
    value.is_a?(BSON::ObjectId) ? value : BSON::ObjectId.legal?(value.to_s) ? BSON::ObjectId.from_string(value.to_s) : nil
  end
end

ActiveRecord::Type.register(:objectid, ObjectIdType, adapter: :postgresql)
