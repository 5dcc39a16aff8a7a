// ObjectId as the key of an entity of Hibernate 3.
import java.util.*;
import javax.persistence.*;
import org.bson.types.ObjectId;
import org.hibernate.Session;
import org.hibernate.annotations.Proxy;
import org.hibernate.annotations.Type;
import org.hibernate.cfg.Configuration;

public class BsonHibernate {
    static final ObjectId GIVEN = new ObjectId("507f1f77bcf86cd799439011"), OTHER = new ObjectId("507f1f77bcf86cd799439012");

    @Entity(name = "Item") @Table(name = "item") @Proxy(lazy = false)
    public static class Item {
        @Id @Type(type = "ObjectIdUserType") ObjectId id;
        String name;
        Item() {}
        Item(ObjectId id, String name) { this.id = id; this.name = name; }
    }

    public static void main(String[] args) {
        Map<String, String> env = System.getenv();
        Session session = new Configuration().addAnnotatedClass(Item.class)
            .setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect")
            .setProperty("hibernate.connection.url", "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"))
            .setProperty("hibernate.connection.username", env.get("PGUSER"))
            .setProperty("hibernate.connection.password", Objects.toString(env.get("PGPASSWORD"), ""))
            .buildSessionFactory().openSession();
        session.beginTransaction();
        session.save(new Item(GIVEN, "given"));
        session.save(new Item(OTHER, "other"));
        session.getTransaction().commit();
        session.clear();

        Item given = (Item) session.get(Item.class, GIVEN);
        System.out.println("given " + given.id);
        System.out.println("equal " + given.name);
        StringJoiner names = new StringJoiner(" ");
        for (Object item : session.createQuery("FROM Item i WHERE i.id IN (:ids) ORDER BY i.id").setParameterList("ids", List.of(GIVEN, OTHER)).list()) {
            names.add(((Item) item).name);
        }
        System.out.println("in " + names);
    }
}
