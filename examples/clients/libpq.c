/*
 * libpq: parameters as text with no type, as text with one, and the 12 bytes
 * in binary, both ways.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#define GIVEN	"507f1f77bcf86cd799439011"
#define OTHER	"507f1f77bcf86cd799439012"
#define TEXTOID 25

static PGconn *conn;

/* Run with two parameters at most; print the first column of all rows. */
static void
query(const char *label, const char *sql, const char *first, const char *second)
{
	const char *values[2] = {first, second};
	int			nparams = first == NULL ? 0 : second == NULL ? 1 : 2;
	PGresult   *result = PQexecParams(conn, sql, nparams, NULL, values, NULL, NULL, 0);

	printf("%s", label);
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		printf(" %s", PQresultErrorField(result, PG_DIAG_SQLSTATE));
	for (int i = 0; i < PQntuples(result); i++)
		printf(" %s", PQgetvalue(result, i, 0));
	printf("\n");
	PQclear(result);
}

/* A parameter and a result in binary. */
static void
query_binary(void)
{
	static const char id[12] = "\x50\x7f\x1f\x77\xbc\xf8\x6c\xd7\x99\x43\x90\x11";
	const char *values[1] = {id};
	int			lengths[1] = {sizeof(id)};
	int			formats[1] = {1};
	PGresult   *result = PQexecParams(conn, "SELECT id FROM item WHERE id = $1", 1, NULL, values, lengths, formats, 1);

	printf("binary %d %s\n", PQgetlength(result, 0, 0),
		   memcmp(PQgetvalue(result, 0, 0), id, sizeof(id)) == 0 ? "same" : "different");
	PQclear(result);
}

/* Rows without ids, by COPY */
static void
copy(void)
{
	PQclear(PQexec(conn, "COPY item (name) FROM STDIN"));
	for (int i = 0; i < 1000; i++)
		PQputCopyData(conn, "bulk\n", 5);
	PQputCopyEnd(conn, NULL);
	PQclear(PQgetResult(conn));
	PQclear(PQgetResult(conn));
}

/* A parameter declared as text finds objectid = text. */
static void
query_typed(void)
{
	const char *values[1] = {GIVEN};
	Oid			types[1] = {TEXTOID};
	PGresult   *result = PQexecParams(conn, "SELECT name FROM item WHERE id = $1", 1, types, values, NULL, NULL, 0);

	printf("typed %s\n", PQgetvalue(result, 0, 0));
	PQclear(result);
}

int
main(void)
{
	conn = PQconnectdb("");
	if (PQstatus(conn) != CONNECTION_OK)
	{
		fprintf(stderr, "%s", PQerrorMessage(conn));
		return 1;
	}
	query("given", "INSERT INTO item (id, name, related) VALUES ($1, 'given', $2) RETURNING id", GIVEN, "{" GIVEN "," OTHER "}");
	query("other", "INSERT INTO item (id, name) VALUES ($1, 'other') RETURNING id", OTHER, NULL);
	query("generated", "INSERT INTO item (name) VALUES ('generated') RETURNING length(id::text)", NULL, NULL);
	query("equal", "SELECT name FROM item WHERE id = $1", GIVEN, NULL);
	query("any", "SELECT name FROM item WHERE id = ANY ($1) ORDER BY id", "{" GIVEN "," OTHER "}", NULL);
	query("in", "SELECT name FROM item WHERE id IN ($1, $2) ORDER BY id", GIVEN, OTHER);
	query("after", "SELECT name FROM item WHERE id > $1 ORDER BY id LIMIT 1", GIVEN, NULL);
	query("within", "SELECT name FROM item WHERE id >= $1::timestamptz AND id < $2::timestamptz ORDER BY id",
		  "2012-10-17 21:13:27Z", "2012-10-17 21:13:28Z");
	query("array", "SELECT unnest(related) FROM item WHERE id = $1", GIVEN, NULL);
	query("json", "SELECT to_json(item) ->> 'id' FROM item WHERE id = $1", GIVEN, NULL);
	query("bigint", "SELECT id FROM photo ORDER BY layout", NULL, NULL);
	query("made", "INSERT INTO photo (layout) VALUES ('twitter') RETURNING CASE WHEN snowflake_node(id, 'twitter') = 5 THEN 'same' END", NULL, NULL);
	copy();
	query("bulk", "SELECT count(DISTINCT id) FROM item WHERE name = 'bulk'", NULL, NULL);
	query("invalid", "SELECT FROM item WHERE id = $1", "no id", NULL);
	query_typed();
	query_binary();
	PQfinish(conn);
	return 0;
}
