// org.bson.types.ObjectId as a type of Hibernate 3.  From Hibernate 5 on, use
// ObjectIdConverter; its UserType has other parameters in each major version.
import java.io.Serializable;
import java.sql.*;
import java.util.Objects;
import org.bson.types.ObjectId;
import org.hibernate.usertype.UserType;

public class ObjectIdUserType implements UserType {
    public int[] sqlTypes() { return new int[] {Types.OTHER}; }
    public Class<?> returnedClass() { return ObjectId.class; }
    public boolean isMutable() { return false; }
    public boolean equals(Object a, Object b) { return Objects.equals(a, b); }
    public int hashCode(Object id) { return id.hashCode(); }
    public Object deepCopy(Object id) { return id; }
    public Serializable disassemble(Object id) { return (Serializable) id; }
    public Object assemble(Serializable cached, Object owner) { return cached; }
    public Object replace(Object original, Object target, Object owner) { return original; }

    public Object nullSafeGet(ResultSet row, String[] names, Object owner) throws SQLException {
        String digits = row.getString(names[0]);
        return digits == null ? null : new ObjectId(digits);
    }

    public void nullSafeSet(PreparedStatement statement, Object id, int index) throws SQLException {
        statement.setObject(index, id == null ? null : id.toString(), Types.OTHER);
    }
}
