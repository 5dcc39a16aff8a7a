// ObjectId with JDBC, in text and in binary.
import java.sql.*;
import java.util.*;
import org.bson.types.ObjectId;
import org.postgresql.PGConnection;

public class BsonJdbc {
    static final ObjectId GIVEN = new ObjectId("507f1f77bcf86cd799439011"), OTHER = new ObjectId("507f1f77bcf86cd799439012");

    static Connection connect(String parameters) throws SQLException {
        Map<String, String> env = System.getenv();
        Connection connection = DriverManager.getConnection(
            "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE") + parameters,
            env.get("PGUSER"), env.get("PGPASSWORD"));
        connection.unwrap(PGConnection.class).addDataType("objectid", PgObjectId.class);
        return connection;
    }

    // The first row
    static ResultSet query(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i] instanceof ObjectId ? new PgObjectId((ObjectId) values[i]) : values[i]);
        }
        ResultSet rows = statement.executeQuery();
        rows.next();
        return rows;
    }

    static ObjectId id(ResultSet row) throws SQLException {
        return row.getObject("id", PgObjectId.class).get();
    }

    public static void main(String[] args) throws SQLException {
        Connection connection = connect("");
        Array both = connection.createArrayOf("objectid", new Object[] {GIVEN, OTHER});
        System.out.println("given " + id(query(connection, "INSERT INTO item (id, name, related) VALUES (?, 'given', ?) RETURNING id", GIVEN, both)));
        query(connection, "INSERT INTO item (id, name) VALUES (?, 'other') RETURNING id", OTHER);
        ObjectId generated = id(query(connection, "INSERT INTO item (name) VALUES ('generated') RETURNING id"));
        System.out.println("generated " + generated.getDate().after(GIVEN.getDate()));
        System.out.println("any " + query(connection, "SELECT string_agg(name, ' ' ORDER BY id) FROM item WHERE id = ANY (?)", both).getString(1));
        System.out.println("text " + (id(query(connection, "SELECT id FROM item WHERE id = ?", GIVEN)).equals(GIVEN) ? "same" : "another"));

        System.out.println("null " + query(connection, "SELECT CAST(? AS objectid) IS NULL", new PgObjectId((ObjectId) null)).getBoolean(1));

        // In binary the driver transfers the types that are named, from the first execution on.
        String oid = query(connection, "SELECT 'objectid'::regtype::oid").getString(1);
        Connection binary = connect("?prepareThreshold=-1&binaryTransferEnable=" + oid);
        System.out.println("binary " + (id(query(binary, "SELECT id FROM item WHERE id = ?", GIVEN)).equals(GIVEN) ? "same" : "another"));
        System.out.println("binary null " + query(binary, "SELECT CAST(? AS objectid) IS NULL", new PgObjectId()).getBoolean(1));
    }
}
