// org.bson.types.ObjectId in and out of JDBC, as text and in binary:
// connection.unwrap(PGConnection.class).addDataType("objectid", PgObjectId.class)
import java.util.Arrays;
import org.bson.types.ObjectId;
import org.postgresql.util.*;

public class PgObjectId extends PGobject implements PGBinaryObject {
    public PgObjectId() {
        setType("objectid");
    }

    public PgObjectId(ObjectId id) {
        this();
        value = id == null ? null : id.toHexString();
    }

    public ObjectId get() {
        return value == null ? null : new ObjectId(value);
    }

    public void setByteValue(byte[] bytes, int offset) {
        value = new ObjectId(Arrays.copyOfRange(bytes, offset, offset + 12)).toHexString();
    }

    // The driver sends NULL if there are none.
    public int lengthInBytes() {
        return value == null ? 0 : 12;
    }

    public void toBytes(byte[] bytes, int offset) {
        if (value != null) {
            System.arraycopy(get().toByteArray(), 0, bytes, offset, 12);
        }
    }
}
