<?php
// Laravel's Eloquent: the key is a string that the database makes.
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\QueryException;

require 'Illuminate/Database/autoload.php';

const GIVEN = '507f1f77bcf86cd799439011', OTHER = '507f1f77bcf86cd799439012';

class Item extends Model
{
    protected $table = 'item';
    protected $keyType = 'string';
    public $timestamps = false;
    protected $guarded = [];
}

class Photo extends Model
{
    protected $table = 'photo';
    protected $casts = ['id' => 'string']; // in JSON, too
    public $timestamps = false;
    protected $guarded = [];
}

$manager = new Manager();
$manager->addConnection(['driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'),
    'database' => getenv('PGDATABASE'), 'username' => getenv('PGUSER'), 'password' => getenv('PGPASSWORD')]);
$manager->bootEloquent();

function names($query): string
{
    return $query->orderBy('id')->pluck('name')->implode(' ');
}

echo 'given ', Item::create(['id' => GIVEN, 'name' => 'given'])->id, "\n";
Item::create(['id' => OTHER, 'name' => 'other']);
echo 'generated ', strlen(Item::create(['name' => 'generated'])->id), "\n";

echo 'equal ', Item::find(GIVEN)->name, "\n";
echo 'in ', names(Item::whereIn('id', [GIVEN, OTHER])), "\n";
echo 'after ', names(Item::where('id', '>', GIVEN)->limit(1)), "\n";
echo 'typed ', names(Item::whereRaw('id = CAST(? AS text)', [GIVEN])), "\n";
echo 'within ', names(Item::whereRaw('id >= CAST(? AS timestamptz) AND id < CAST(? AS timestamptz)',
    ['2012-10-17 21:13:27Z', '2012-10-17 21:13:28Z'])), "\n";

Item::insert(array_fill(0, 1000, ['name' => 'bulk']));
echo 'bulk ', Item::where('name', 'bulk')->distinct()->count('id'), "\n";
echo 'json ', json_decode(Item::find(GIVEN)->toJson())->id, "\n";
echo 'bigint ', Photo::orderBy('layout')->pluck('id')->implode(' '), "\n";
$made = Photo::create(['layout' => 'twitter'])->id;
echo 'made ', (string) $made === Photo::where('layout', 'twitter')->selectRaw('id::text AS text')->value('text') ? 'same' : $made, "\n";
echo 'string ', json_encode(json_decode(Photo::firstWhere('layout', 'instagram')->toJson())->id), "\n";
try {
    Item::find('no id');
} catch (QueryException $error) {
    echo 'invalid ', $error->getCode(), "\n";
}
