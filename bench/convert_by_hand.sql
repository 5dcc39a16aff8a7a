-- int to bigint by hand, as articles tell: columns beside the old ones, a trigger,
-- batches by key, indexes and constraints beside the old ones, and an exchange.

ALTER TABLE account ADD COLUMN new_id bigint, ADD COLUMN new_referrer bigint;
ALTER TABLE invoice ADD COLUMN new_account bigint;

CREATE OR REPLACE FUNCTION copy_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.new_id := NEW.id;
    NEW.new_referrer := NEW.referrer;
    RETURN NEW;
END;
$$;
CREATE OR REPLACE FUNCTION copy_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.new_account := NEW.account;
    RETURN NEW;
END;
$$;
CREATE TRIGGER copy BEFORE INSERT OR UPDATE ON account FOR EACH ROW EXECUTE FUNCTION copy_account();
CREATE TRIGGER copy BEFORE INSERT OR UPDATE ON invoice FOR EACH ROW EXECUTE FUNCTION copy_invoice();

-- 10,000 keys to a batch, each in a transaction of its own
\o /dev/null
SELECT format('UPDATE account SET new_id = id, new_referrer = referrer WHERE id BETWEEN %s AND %s', first, first + 9999)
FROM generate_series(1, (SELECT max(id) FROM account), 10000) AS first \gexec
SELECT format('UPDATE invoice SET new_account = account WHERE account BETWEEN %s AND %s', first, first + 9999)
FROM generate_series(1, (SELECT max(id) FROM account), 10000) AS first \gexec
\o

CREATE UNIQUE INDEX CONCURRENTLY new_account_id ON account (new_id);
CREATE INDEX CONCURRENTLY new_account_referrer ON account (new_referrer);
CREATE INDEX CONCURRENTLY new_invoice_account ON invoice (new_account);

ALTER TABLE account ADD CONSTRAINT new_id_not_null CHECK (new_id IS NOT NULL) NOT VALID;
ALTER TABLE account VALIDATE CONSTRAINT new_id_not_null;
ALTER TABLE invoice ADD CONSTRAINT new_account_not_null CHECK (new_account IS NOT NULL) NOT VALID;
ALTER TABLE invoice VALIDATE CONSTRAINT new_account_not_null;
ALTER TABLE account ADD CONSTRAINT new_referrer_fkey FOREIGN KEY (new_referrer) REFERENCES account (new_id) NOT VALID;
ALTER TABLE account VALIDATE CONSTRAINT new_referrer_fkey;
ALTER TABLE invoice ADD CONSTRAINT new_account_fkey FOREIGN KEY (new_account) REFERENCES account (new_id) NOT VALID;
ALTER TABLE invoice VALIDATE CONSTRAINT new_account_fkey;
ANALYZE account, invoice;

BEGIN;
LOCK TABLE invoice, account;
DROP TRIGGER copy ON account;
DROP TRIGGER copy ON invoice;
ALTER SEQUENCE account_id_seq AS bigint OWNED BY account.new_id;
ALTER TABLE account ALTER new_id SET NOT NULL, ALTER new_id SET DEFAULT nextval('account_id_seq');
ALTER TABLE invoice ALTER new_account SET NOT NULL;
ALTER TABLE invoice DROP CONSTRAINT invoice_account_fkey;
ALTER TABLE account DROP CONSTRAINT account_referrer_fkey, DROP CONSTRAINT account_pkey, DROP CONSTRAINT new_id_not_null;
ALTER TABLE invoice DROP CONSTRAINT new_account_not_null;
ALTER TABLE account DROP COLUMN id, DROP COLUMN referrer;
ALTER TABLE invoice DROP COLUMN account;
ALTER TABLE account RENAME COLUMN new_id TO id;
ALTER TABLE account RENAME COLUMN new_referrer TO referrer;
ALTER TABLE invoice RENAME COLUMN new_account TO account;
ALTER TABLE account ADD CONSTRAINT account_pkey PRIMARY KEY USING INDEX new_account_id;
ALTER INDEX new_account_referrer RENAME TO account_referrer;
ALTER INDEX new_invoice_account RENAME TO invoice_account;
ALTER TABLE account RENAME CONSTRAINT new_referrer_fkey TO account_referrer_fkey;
ALTER TABLE invoice RENAME CONSTRAINT new_account_fkey TO invoice_account_fkey;
COMMIT;
