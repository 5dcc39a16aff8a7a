// ObjectId as the key of an entity of JPA.
import java.util.*;
import javax.persistence.*;
import org.bson.types.ObjectId;

public class BsonJpa {
    static final ObjectId GIVEN = new ObjectId("507f1f77bcf86cd799439011"), OTHER = new ObjectId("507f1f77bcf86cd799439012");

    @Entity(name = "Item") @Table(name = "item")
    public static class Item {
        @Id @Convert(converter = ObjectIdConverter.class) ObjectId id;
        String name;
        Item() {}
        Item(ObjectId id, String name) { this.id = id; this.name = name; }
    }

    public static void main(String[] args) {
        Map<String, String> env = System.getenv();
        EntityManager manager = Persistence.createEntityManagerFactory("clients", Map.of(
            "javax.persistence.jdbc.url", "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"),
            "javax.persistence.jdbc.user", env.get("PGUSER"), "javax.persistence.jdbc.password", Objects.toString(env.get("PGPASSWORD"), ""))).createEntityManager();
        manager.getTransaction().begin();
        manager.persist(new Item(GIVEN, "given"));
        manager.persist(new Item(OTHER, "other"));
        manager.getTransaction().commit();
        manager.clear();

        Item given = manager.find(Item.class, GIVEN);
        System.out.println("given " + given.id);
        System.out.println("equal " + given.name);
        StringJoiner names = new StringJoiner(" ");
        manager.createQuery("SELECT i FROM Item i WHERE i.id IN :ids ORDER BY i.id", Item.class)
            .setParameter("ids", List.of(GIVEN, OTHER)).getResultList().forEach(item -> names.add(item.name));
        System.out.println("in " + names);
    }
}
