// org.bson.types.ObjectId as an attribute of an entity, for any provider of JPA 2.1
// or later: Hibernate, EclipseLink.  From JPA 3 on, import jakarta.persistence.
import javax.persistence.AttributeConverter;
import javax.persistence.Converter;
import org.bson.types.ObjectId;

@Converter(autoApply = true)
public class ObjectIdConverter implements AttributeConverter<ObjectId, String> {
    public String convertToDatabaseColumn(ObjectId id) {
        return id == null ? null : id.toHexString();
    }

    public ObjectId convertToEntityAttribute(String digits) {
        return digits == null ? null : new ObjectId(digits);
    }
}
