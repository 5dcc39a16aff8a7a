// JDBC declares a string as varchar: id = ? works, for objectid = text exists.
// For the rest a cast, or Types.OTHER, which sends it untyped.
import java.io.*;
import java.sql.*;
import java.time.OffsetDateTime;
import java.util.*;
import org.postgresql.PGConnection;

public class Jdbc {
    static final String GIVEN = "507f1f77bcf86cd799439011", OTHER = "507f1f77bcf86cd799439012";
    static Connection connection;

    // The first column of all rows, separated by blanks.
    static String query(String sql, Object... values) throws SQLException {
        StringJoiner result = new StringJoiner(" ");
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]); // a String as by setString()
            }
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                result.add(rows.getString(1));
            }
        }
        return result.toString();
    }

    // The bound of a feed, less the last id
    static long settled() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            ResultSet row = statement.executeQuery("CALL settled_snowflake('feed_id', NULL)");
            row.next();
            return row.getLong(1) - Long.parseLong(query("SELECT last_value FROM feed_id"));
        }
    }

    public static void main(String[] args) throws IOException, SQLException {
        Map<String, String> env = System.getenv();
        connection = DriverManager.getConnection(
            "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"),
            env.get("PGUSER"), env.get("PGPASSWORD"));
        Array both = connection.createArrayOf("objectid", new String[] {GIVEN, OTHER});

        System.out.println("given " + query("INSERT INTO item (id, name, related) VALUES (?, 'given', ?) RETURNING id", GIVEN, both));
        query("INSERT INTO item (id, name) VALUES (?, 'other') RETURNING id", OTHER);
        System.out.println("generated " + query("INSERT INTO item (name) VALUES ('generated') RETURNING id").length());

        System.out.println("equal " + query("SELECT name FROM item WHERE id = ?", GIVEN));
        System.out.println("any " + query("SELECT name FROM item WHERE id = ANY (?) ORDER BY id", both));
        System.out.println("in " + query("SELECT name FROM item WHERE id IN (?, ?) ORDER BY id", GIVEN, OTHER));
        System.out.println("after " + query("SELECT name FROM item WHERE id > ?::objectid ORDER BY id LIMIT 1", GIVEN));
        System.out.println("typed " + query("SELECT name FROM item WHERE id = ?::text", GIVEN));
        System.out.println("within " + query("SELECT name FROM item WHERE id >= ? AND id < ? ORDER BY id",
            OffsetDateTime.parse("2012-10-17T21:13:27Z"), OffsetDateTime.parse("2012-10-17T21:13:28Z")));
        try (PreparedStatement statement = connection.prepareStatement("SELECT related, id FROM item WHERE id >= ? ORDER BY id LIMIT 1")) {
            statement.setObject(1, GIVEN, Types.OTHER);
            ResultSet rows = statement.executeQuery();
            rows.next();
            Object[] related = (Object[]) rows.getArray(1).getArray();
            System.out.println("array " + related[0] + " " + related[1]);
        }
        System.out.println("json " + query("SELECT to_json(item) ->> 'id' FROM item WHERE id = ?", GIVEN));
        System.out.println("bigint " + query("SELECT id FROM photo ORDER BY layout"));
        try (Statement statement = connection.createStatement()) {
            ResultSet made = statement.executeQuery("INSERT INTO photo (layout) VALUES ('twitter') RETURNING id, id::text");
            made.next();
            System.out.println("made " + (Long.toString(made.getLong(1)).equals(made.getString(2)) ? "same" : made.getLong(1)));
        }
        connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY item (name) FROM STDIN", new StringReader("bulk\n".repeat(1000)));
        System.out.println("bulk " + query("SELECT count(DISTINCT id) FROM item WHERE name = 'bulk'"));
        try {
            query("SELECT FROM item WHERE id = ?", "no id");
        } catch (SQLException e) {
            System.out.println("invalid " + e.getSQLState());
        }
        try {
            query("SELECT FROM item WHERE id = ANY (?)", connection.createArrayOf("text", new String[] {GIVEN}));
        } catch (SQLException e) {
            System.out.println("array of text " + e.getSQLState());
        }

        // in a transaction block and outside of one
        connection.setAutoCommit(false);
        long inBlock = settled();
        connection.commit();
        connection.setAutoCommit(true);
        System.out.println("feed " + inBlock + " " + settled());
    }
}
