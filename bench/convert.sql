-- Ways to change the type of a key that other tables refer to, while clients write.
-- bench/run starts the clients and measures.

CREATE EXTENSION IF NOT EXISTS objectid_ext_tools;

-- An account and what refers to it; clients find rows by n, whatever the ids are.
CREATE PROCEDURE create_accounts(type text, new_id text, count int)
LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS invoice, account;
    DROP SEQUENCE IF EXISTS account_id_seq;
    CREATE SEQUENCE account_id_seq AS int;
    EXECUTE format('CREATE TABLE account (id %1$s NOT NULL DEFAULT %2$s, referrer %1$s, n int, name text)', type, new_id);
    EXECUTE format('CREATE TABLE invoice (account %s NOT NULL, n int, amount numeric)', type);
    ALTER SEQUENCE account_id_seq OWNED BY account.id;
    EXECUTE format('INSERT INTO account (id, referrer, n, name)
        SELECT id, CASE WHEN n %% 4 = 0 THEN lag(id) OVER (ORDER BY n) END, n, md5(n::text)
        FROM (SELECT %s AS id, n FROM generate_series(1, %s) AS n OFFSET 0) AS s', new_id, count);
    INSERT INTO invoice SELECT id, n, n / 100.0 FROM account AS a;
    ALTER TABLE account ADD PRIMARY KEY (id);
    CREATE INDEX account_n ON account (n);
    CREATE INDEX account_referrer ON account (referrer);
    CREATE INDEX invoice_n ON invoice (n);
    CREATE INDEX invoice_account ON invoice (account);
    ALTER TABLE account ADD FOREIGN KEY (referrer) REFERENCES account;
    ALTER TABLE invoice ADD FOREIGN KEY (account) REFERENCES account;
END;
$$;

-- Under a lock, by hand: each table is rewritten once
CREATE PROCEDURE convert_by_hand(type text, new_id text)
LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE account, invoice;
    ALTER TABLE account DROP CONSTRAINT account_referrer_fkey;
    ALTER TABLE invoice DROP CONSTRAINT invoice_account_fkey;
    ALTER SEQUENCE account_id_seq AS bigint;
    EXECUTE format('ALTER TABLE account ALTER id TYPE %1$s USING id::%1$s, ALTER referrer TYPE %1$s USING referrer::%1$s', type);
    EXECUTE format('ALTER TABLE invoice ALTER account TYPE %1$s USING account::%1$s', type);
    EXECUTE format('ALTER TABLE account ALTER id SET DEFAULT %s, ADD FOREIGN KEY (referrer) REFERENCES account', new_id);
    ALTER TABLE invoice ADD FOREIGN KEY (account) REFERENCES account;
END;
$$;

-- The size of the database and the position in WAL, since begin_sizes(); a client
-- calls note_size() again and again, which sees files that nobody else does yet.
CREATE UNLOGGED TABLE size_noted (size float8, wal pg_lsn);

CREATE PROCEDURE note_size()
LANGUAGE sql AS $$
    INSERT INTO size_noted VALUES (pg_database_size(current_database()), pg_current_wal_insert_lsn())
$$;

CREATE PROCEDURE begin_sizes()
LANGUAGE sql AS $$
    TRUNCATE size_noted;
    CALL note_size();
$$;

CREATE PROCEDURE report_sizes(what text, way text, in_round int)
LANGUAGE sql AS $$
    CALL note_size();
    INSERT INTO figure (subject, metric, name, round, value)
    SELECT what, metric, way, in_round, value / 1e6
    FROM (SELECT max(size) - (array_agg(size ORDER BY wal))[1], max(wal) - min(wal) FROM size_noted) AS s (space, wal),
         LATERAL (VALUES ('additional space, MB', space), ('WAL, MB', wal)) AS m (metric, value);
$$;

INSERT INTO target (subject, metric, a, relation, bound, b) VALUES
    ('convert int', 'longest wait of a client, ms', 'while in use', '<=', 1, 'limit'),
    ('convert int', 'seconds', 'while in use', '<=', 1.5, 'while in use, by hand'),
    ('convert int', 'additional space, MB', 'while in use', '<=', 1.2, 'while in use, by hand'),
    ('convert int', 'WAL, MB', 'while in use', '<=', 1.2, 'while in use, by hand'),
    ('convert int', 'seconds', 'under a lock', '<=', 1.2, 'under a lock, by hand'),
    ('convert text', 'longest wait of a client, ms', 'while in use', '<=', 1, 'limit'),
    ('convert text', 'seconds', 'under a lock', '<=', 1.2, 'under a lock, by hand');
