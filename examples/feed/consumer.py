# A consumer of the outbox: consumer.py NAME print|count
#
# print	writes each row to standard output, in the order of ids.  After a crash, rows
#	can come again: at least once.
# count	adds each row to the table "sold", in the transaction that moves the bookmark:
#	exactly once.
#
# It can be killed at any time and started again.  Several processes with one
# name take turns: the others wait for the lock of the bookmark.  Through a pooler of
# transactions, nothing wakes it, so it polls once a second.
import select
import sys

import psycopg

BATCH = 1000


def print_rows(connection, rows):
    for row in rows:
        print(*row)
    sys.stdout.flush()


def count_rows(connection, rows):
    connection.cursor().executemany("""INSERT INTO sold VALUES (%s, %s)
                                       ON CONFLICT (item) DO UPDATE SET quantity = sold.quantity + excluded.quantity""",
                                    [(item, quantity) for id, item, quantity in rows])


def value_of(connection, query, *parameters):
    return connection.execute(query, parameters).fetchone()[0]


# Deliver what is new, and return how long to wait for more, in seconds.
def poll(connection, consumer, deliver):
    with connection.transaction():
        last = value_of(connection, "SELECT last FROM bookmark WHERE consumer = %s FOR UPDATE", consumer)
        upto = value_of(connection, "CALL settled_snowflake('outbox_id', NULL)")
        rows = connection.execute("""SELECT id, item, quantity FROM outbox
                                     WHERE id > %s AND id <= %s ORDER BY id LIMIT %s""",
                                  (last, upto, BATCH)).fetchall()
        if len(rows) == BATCH:
            upto = rows[-1][0]
        deliver(connection, rows)
        if upto > last:
            connection.execute("UPDATE bookmark SET last = %s WHERE consumer = %s", (upto, consumer))
    if len(rows) == BATCH:
        return 0
    # Rows above the bound are not announced again when it passes them.
    is_held_back = value_of(connection, "SELECT EXISTS (SELECT FROM outbox WHERE id > %s)", upto)
    return 0.01 if is_held_back else 1


def run(consumer, deliver):
    notifications = []
    with psycopg.connect("", autocommit=True) as connection:
        # above it, a transaction would read rows of the time before the bound
        connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        # A pooler of transactions mixes the prepared statements of its clients.
        connection.prepare_threshold = None
        connection.add_notify_handler(notifications.append)
        connection.execute("LISTEN outbox")
        connection.execute("INSERT INTO bookmark VALUES (%s) ON CONFLICT DO NOTHING", (consumer,))
        while True:
            notifications.clear()
            seconds = poll(connection, consumer, deliver)
            if not notifications:
                select.select([connection], [], [], seconds)


run(sys.argv[1], {"print": print_rows, "count": count_rows}[sys.argv[2]])
