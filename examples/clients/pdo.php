<?php
// PDO: strings have no type, and results are strings; a bigint is an int of 64 bits.
const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';

$db = new PDO('pgsql:dbname=' . getenv('PGDATABASE'));

// The first column of all rows, separated by blanks
function query(string $sql, string ...$values): string
{
    global $db;
    $statement = $db->prepare($sql);
    $statement->execute($values);
    return implode(' ', $statement->fetchAll(PDO::FETCH_COLUMN));
}

echo 'given ', query("INSERT INTO item (id, name) VALUES (?, 'given') RETURNING id", GIVEN), "\n";
query("INSERT INTO item (id, name) VALUES (?, 'other') RETURNING id", OTHER);
echo 'generated ', strlen(query("INSERT INTO item (name) VALUES ('generated') RETURNING id")), "\n";

echo 'equal ', query('SELECT name FROM item WHERE id = ?', GIVEN), "\n";
echo 'in ', query('SELECT name FROM item WHERE id IN (?, ?) ORDER BY id', GIVEN, OTHER), "\n";
echo 'after ', query('SELECT name FROM item WHERE id > ? ORDER BY id LIMIT 1', GIVEN), "\n";
echo 'typed ', query('SELECT name FROM item WHERE id = CAST(? AS text)', GIVEN), "\n";
echo 'within ', query('SELECT name FROM item WHERE id >= CAST(? AS timestamptz) AND id < CAST(? AS timestamptz) ORDER BY id',
    '2012-10-17 21:13:27Z', '2012-10-17 21:13:28Z'), "\n";

$db->pgsqlCopyFromArray('item', array_fill(0, 1000, 'bulk'), fields: 'name');
echo 'bulk ', query("SELECT count(DISTINCT id) FROM item WHERE name = 'bulk'"), "\n";
echo 'bigint ', query('SELECT id FROM photo ORDER BY layout'), "\n";
$made = $db->query("INSERT INTO photo (layout) VALUES ('twitter') RETURNING id, id::text AS text")->fetch();
echo 'made ', is_int($made['id']) && (string) $made['id'] === $made['text'] ? 'same' : var_export($made, true), "\n";
try {
    query('SELECT name FROM item WHERE id = ?', 'no id');
} catch (PDOException $error) {
    echo 'invalid ', $error->getCode(), "\n";
}
