<?php
// Doctrine: a type, and a generator that asks the server, because the built-in generators
// call nextval() or lastval().
use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\Platforms\AbstractPlatform;
use Doctrine\DBAL\Types\Type;
use Doctrine\ORM\Configuration;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\EntityManagerInterface;
use Doctrine\ORM\Id\AbstractIdGenerator;
use Doctrine\ORM\Mapping as ORM;
use Doctrine\ORM\Mapping\Driver\AttributeDriver;

require 'Doctrine/ORM/autoload.php';

const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';

class ObjectIdType extends Type
{
    public function getSQLDeclaration(array $column, AbstractPlatform $platform): string { return 'objectid'; }
    public function getName(): string { return 'objectid'; }
    public function getMappedDatabaseTypes(AbstractPlatform $platform): array { return ['objectid', '_objectid']; }
}

// The default of the column, unless the application has set an id
class ServerId extends AbstractIdGenerator
{
    public function generateId(EntityManagerInterface $manager, $entity): mixed
    {
        $given = $manager->getClassMetadata($entity::class)->getIdentifierValues($entity);
        return current($given) ?: $manager->getConnection()->fetchOne('SELECT ' . $entity::DEFAULT);
    }
}

#[ORM\Entity, ORM\Table(name: 'item')]
class Item
{
    const DEFAULT = 'gen_objectid()';
    #[ORM\Id, ORM\Column(type: 'objectid'), ORM\GeneratedValue('CUSTOM'), ORM\CustomIdGenerator(ServerId::class)]
    private ?string $id = null;
    #[ORM\Column]
    public string $name;

    public function __construct(?string $id = null) { $this->id = $id; }
    public function id(): ?string { return $this->id; }
}

#[ORM\Entity, ORM\Table(name: 'photo')]
class Photo
{
    const DEFAULT = "next_snowflake('photo_id', 5, 'twitter')";
    #[ORM\Id, ORM\Column(type: 'bigint'), ORM\GeneratedValue('CUSTOM'), ORM\CustomIdGenerator(ServerId::class)]
    public ?string $id = null;
    #[ORM\Column]
    public string $layout;
}

Type::addType('objectid', ObjectIdType::class);
$connection = DriverManager::getConnection(['driver' => 'pdo_pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'),
    'dbname' => getenv('PGDATABASE'), 'user' => getenv('PGUSER'), 'password' => getenv('PGPASSWORD')]);
$configuration = new Configuration();
$configuration->setMetadataDriverImpl(new AttributeDriver([]));
$configuration->setProxyDir(sys_get_temp_dir());
$configuration->setProxyNamespace('Proxies');
$manager = new EntityManager($connection, $configuration);

function insert(object $entity, array $values): object
{
    global $manager;
    foreach ($values as $name => $value) {
        $entity->$name = $value;
    }
    $manager->persist($entity);
    $manager->flush();
    return $entity;
}

function names(string $condition, array $values): string
{
    global $manager;
    $query = $manager->createQuery("SELECT i.name FROM Item i WHERE $condition ORDER BY i.id");
    return implode(' ', $query->setParameters($values)->getSingleColumnResult());
}

echo 'given ', insert(new Item(GIVEN), ['name' => 'given'])->id(), "\n";
insert(new Item(OTHER), ['name' => 'other']);
echo 'generated ', strlen(insert(new Item(), ['name' => 'generated'])->id()), "\n";

echo 'equal ', $manager->getRepository(Item::class)->findOneBy(['id' => GIVEN])->name, "\n";
echo 'in ', names('i.id IN (:ids)', ['ids' => [GIVEN, OTHER]]), "\n";
echo 'after ', $manager->createQuery('SELECT i.name FROM Item i WHERE i.id > :id ORDER BY i.id')
    ->setParameter('id', GIVEN)->setMaxResults(1)->getSingleScalarResult(), "\n";
echo 'typed ', $connection->fetchOne('SELECT name FROM item WHERE id = CAST(? AS text)', [GIVEN]), "\n";
echo 'within ', implode(' ', $connection->fetchFirstColumn('SELECT name FROM item WHERE id >= ?::timestamptz AND id < ?::timestamptz ORDER BY id',
    ['2012-10-17 21:13:27Z', '2012-10-17 21:13:28Z'])), "\n";

$connection->getNativeConnection()->pgsqlCopyFromArray('item', array_fill(0, 1000, 'bulk'), fields: 'name');
echo 'bulk ', $connection->fetchOne("SELECT count(DISTINCT id) FROM item WHERE name = 'bulk'"), "\n";
echo 'bigint ', implode(' ', $manager->createQuery('SELECT p.id FROM Photo p ORDER BY p.layout')->getSingleColumnResult()), "\n";
$made = insert(new Photo(), ['layout' => 'twitter']);
echo 'made ', $made->id == $connection->fetchOne("SELECT id::text FROM photo WHERE layout = 'twitter'") ? 'same' : var_export($made->id, true), "\n";
echo 'migration ', $connection->createSchemaManager()->introspectTable('item')->getColumn('id')->getType()::class, "\n";
try {
    names('i.id = :id', ['id' => 'no id']);
} catch (Doctrine\DBAL\Exception\DriverException $error) {
    echo 'invalid ', $error->getSQLState(), "\n";
}
