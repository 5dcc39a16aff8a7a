-- A schema as the migrations of a forum leave it, its ids as in Instagram's article
CREATE SCHEMA insta7;
SET search_path = insta7, public;
CREATE SEQUENCE table_id_seq;
CREATE FUNCTION next_id() RETURNS bigint LANGUAGE sql AS $$SELECT next_shard_id(7, nextval('insta7.table_id_seq'))$$;
CREATE TABLE schema_migrations (version varchar NOT NULL PRIMARY KEY);
CREATE TABLE users (
    id bigint DEFAULT next_id() PRIMARY KEY,
    username varchar(60) NOT NULL,
    email text,
    admin boolean DEFAULT false NOT NULL,
    preferences jsonb DEFAULT '{}' NOT NULL,
    last_seen_at timestamp without time zone,
    created_at timestamp without time zone DEFAULT now() NOT NULL
);
CREATE UNIQUE INDEX index_users_on_lower_username ON users (lower(username));
CREATE INDEX index_users_on_last_seen_at ON users (last_seen_at DESC NULLS LAST) WHERE NOT admin;
CREATE TABLE user_stats (user_id bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE, posts_count int DEFAULT 0 NOT NULL);
CREATE TABLE topics (
    id bigint DEFAULT next_id() PRIMARY KEY,
    title varchar NOT NULL,
    user_id bigint NOT NULL REFERENCES users,
    posts_count int DEFAULT 0 NOT NULL,
    closed boolean DEFAULT false NOT NULL
);
CREATE TABLE posts (
    id bigint DEFAULT next_id() PRIMARY KEY,
    topic_id bigint NOT NULL,
    user_id bigint NOT NULL,
    reply_to_id bigint,
    raw text NOT NULL,
    version int DEFAULT 1 NOT NULL
);
ALTER TABLE ONLY posts ADD CONSTRAINT fk_rails_topic FOREIGN KEY (topic_id) REFERENCES topics(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY posts ADD CONSTRAINT fk_rails_user FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE ONLY posts ADD CONSTRAINT fk_rails_reply FOREIGN KEY (reply_to_id) REFERENCES posts(id);
CREATE INDEX index_posts_on_topic ON posts (topic_id, id);
CREATE UNIQUE INDEX index_posts_on_raw ON posts (md5(raw));
CREATE TABLE post_search_data (post_id bigint PRIMARY KEY REFERENCES posts ON DELETE CASCADE, search_data tsvector);
CREATE INDEX idx_search_post ON post_search_data USING gin (search_data);
CREATE TABLE topics_tags (topic_id bigint NOT NULL, tag text NOT NULL);        -- no key, as join tables have none
CREATE UNIQUE INDEX index_topics_tags ON topics_tags (topic_id, tag);
CREATE TABLE notifications (id bigserial PRIMARY KEY, user_id bigint NOT NULL, data text);
CREATE FUNCTION count_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE insta7.topics SET posts_count = posts_count + 1 WHERE id = NEW.topic_id;
    UPDATE insta7.user_stats SET posts_count = posts_count + 1 WHERE user_id = NEW.user_id;
    INSERT INTO insta7.post_search_data VALUES (NEW.id, to_tsvector('simple', NEW.raw));
    RETURN NULL;
END $$;
CREATE TRIGGER count_post AFTER INSERT ON posts FOR EACH ROW EXECUTE FUNCTION count_post();
CREATE FUNCTION post(raw text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    author bigint := (SELECT min(id) FROM insta7.users);
    topic bigint := (SELECT max(id) FROM insta7.topics);
    new_id bigint;
BEGIN
    IF random() < 0.1 THEN
        INSERT INTO insta7.topics (title, user_id) VALUES (post.raw, author) RETURNING id INTO topic;
        INSERT INTO insta7.topics_tags VALUES (topic, 'new');
    END IF;
    INSERT INTO insta7.posts (topic_id, user_id, raw) VALUES (topic, author, post.raw) RETURNING id INTO new_id;
    INSERT INTO insta7.notifications (user_id, data) VALUES (author, post.raw);
    DELETE FROM insta7.notifications WHERE user_id = author AND random() < 0.1;
    RETURN new_id;
END $$;
CREATE VIEW badge_posts AS SELECT p.* FROM posts p JOIN topics t ON t.id = p.topic_id WHERE NOT t.closed;
GRANT USAGE ON SCHEMA insta7 TO app;
GRANT ALL ON ALL TABLES IN SCHEMA insta7 TO app;
GRANT ALL ON ALL SEQUENCES IN SCHEMA insta7 TO app;
INSERT INTO schema_migrations VALUES ('20250101000000'), ('20250102000000');
INSERT INTO users (username, email) SELECT 'user' || i, i || '@example.org' FROM generate_series(1, 100) i;
INSERT INTO user_stats SELECT id FROM users;
INSERT INTO topics (title, user_id) SELECT 'topic', min(id) FROM users;
