-- The schema of the PostgreSQL storage: the tables of memory.db under the same names (sqlite.sql says what the columns
-- mean), and those by which several processes serve one bot. What comes after 1.0 is a step of postgres_steps.sql.
--
-- Every key begins with the owner, so that each table can be divided by owner (PARTITION BY HASH (user_id), or a
-- distributed table): `seq` numbers a store's messages, but no key rests on it alone. Texts compare byte by byte ("C"),
-- as in SQLite: dates are texts that sort.

CREATE TABLE users (
  user_id           BIGINT PRIMARY KEY,
  storage_type      TEXT COLLATE "C" NOT NULL,
  summary_every_n   BIGINT NOT NULL,
  memory_enabled    BIGINT NOT NULL,
  created_at        TEXT COLLATE "C" NOT NULL,
  updated_at        TEXT COLLATE "C" NOT NULL,
  next_message_id   BIGINT NOT NULL DEFAULT 1,
  next_summary_id   BIGINT NOT NULL DEFAULT 1,
  last_fence        BIGINT NOT NULL DEFAULT 0,
  policy            TEXT COLLATE "C" NOT NULL DEFAULT 'pyramid',
  auto_fold         BIGINT NOT NULL DEFAULT 1,
  timezone          TEXT COLLATE "C" NOT NULL DEFAULT '',
  fold_instructions TEXT COLLATE "C" NOT NULL DEFAULT '',
  incognito         BIGINT NOT NULL DEFAULT 0,
  next_fact_id      BIGINT NOT NULL DEFAULT 1,
  next_profile_id   BIGINT NOT NULL DEFAULT 1,
  next_version_id   BIGINT NOT NULL DEFAULT 1,
  next_reminder_id  BIGINT NOT NULL DEFAULT 1,
  tokens_saved      BIGINT NOT NULL DEFAULT 0,
  language          TEXT COLLATE "C" NOT NULL DEFAULT '',
  model             TEXT COLLATE "C" NOT NULL DEFAULT '',
  persona           TEXT COLLATE "C" NOT NULL DEFAULT '',
  persona_text      TEXT COLLATE "C" NOT NULL DEFAULT '',
  spoken_answers    TEXT COLLATE "C" NOT NULL DEFAULT '',
  epoch             BIGINT NOT NULL DEFAULT 1,
  -- Of the DATA_DIR whose files hold this memory, where it is kept in files.
  instance_id       TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE TABLE summaries (
  id               BIGINT NOT NULL,
  user_id          BIGINT NOT NULL REFERENCES users DEFERRABLE INITIALLY DEFERRED,
  thread_id        BIGINT NOT NULL DEFAULT 0,
  summary_text     TEXT COLLATE "C" NOT NULL,
  created_at       TEXT COLLATE "C" NOT NULL,
  level            BIGINT NOT NULL,
  source_chunk_ids TEXT COLLATE "C" NOT NULL,
  is_active        BIGINT NOT NULL,
  source_ids       TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  first_id         BIGINT NOT NULL,
  last_id          BIGINT NOT NULL,
  first_at         TEXT COLLATE "C" NOT NULL,
  last_at          TEXT COLLATE "C" NOT NULL,
  message_count    BIGINT NOT NULL,
  model            TEXT COLLATE "C" NOT NULL DEFAULT '',
  prompt_version   TEXT COLLATE "C" NOT NULL DEFAULT '',
  tokens_in        BIGINT NOT NULL DEFAULT 0,
  tokens_out       BIGINT NOT NULL DEFAULT 0,
  milliseconds     BIGINT NOT NULL DEFAULT 0,
  base_id          BIGINT,
  policy           TEXT COLLATE "C" NOT NULL DEFAULT 'pyramid',
  reason           TEXT COLLATE "C" NOT NULL DEFAULT '',
  score            DOUBLE PRECISION,
  details          TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  status           TEXT COLLATE "C" NOT NULL DEFAULT 'completed',
  PRIMARY KEY (user_id, id)
);
CREATE INDEX summary_scope ON summaries (user_id, thread_id, is_active, id);

CREATE SEQUENCE message_seq;
CREATE TABLE messages (
  seq         BIGINT NOT NULL DEFAULT nextval('message_seq'),
  id          BIGINT NOT NULL,
  user_id     BIGINT NOT NULL REFERENCES users DEFERRABLE INITIALLY DEFERRED,
  thread_id   BIGINT NOT NULL DEFAULT 0,
  role        TEXT COLLATE "C" NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
  content     TEXT COLLATE "C" NOT NULL,
  created_at  TEXT COLLATE "C" NOT NULL,
  is_active   BIGINT NOT NULL CHECK (is_active = CASE WHEN chunk_id IS NULL THEN 1 ELSE 0 END),
  chunk_id    BIGINT,
  turn_id     BIGINT NOT NULL,
  speaker     TEXT COLLATE "C" NOT NULL DEFAULT '',
  source      TEXT COLLATE "C",
  telegram_id BIGINT,
  origin      TEXT COLLATE "C" NOT NULL DEFAULT '',
  edited_at   TEXT COLLATE "C",
  person_id   BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, chunk_id) REFERENCES summaries (user_id, id) DEFERRABLE INITIALLY DEFERRED
);
CREATE UNIQUE INDEX message_source ON messages (user_id, role, source) WHERE source IS NOT NULL;
CREATE INDEX message_time ON messages (user_id, thread_id, created_at, id);
CREATE INDEX message_active ON messages (user_id, thread_id, created_at, id) WHERE is_active = 1;
CREATE INDEX message_turn ON messages (user_id, thread_id, turn_id);
CREATE INDEX message_chunk ON messages (user_id, chunk_id);
CREATE INDEX message_telegram ON messages (user_id, thread_id, telegram_id) WHERE telegram_id IS NOT NULL;
CREATE INDEX message_number ON messages (seq);

-- A scope in figures, kept by the triggers below.
CREATE TABLE scopes (
  user_id    BIGINT NOT NULL,
  thread_id  BIGINT NOT NULL,
  total      BIGINT NOT NULL,
  archived   BIGINT NOT NULL,
  characters BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, thread_id)
);

CREATE TABLE jobs (
  id         BIGINT GENERATED BY DEFAULT AS IDENTITY,
  user_id    BIGINT NOT NULL,
  thread_id  BIGINT NOT NULL,
  state      TEXT COLLATE "C" NOT NULL CHECK (state IN ('processing', 'completed', 'failed', 'expired')),
  reason     TEXT COLLATE "C" NOT NULL,
  fence      BIGINT NOT NULL,
  started_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  ended_at   TEXT COLLATE "C",
  error      TEXT COLLATE "C",
  summary_id BIGINT,
  PRIMARY KEY (user_id, id)
);
CREATE UNIQUE INDEX job_live ON jobs (user_id, thread_id) WHERE state = 'processing';
CREATE INDEX job_number ON jobs (id);

CREATE TABLE failures (
  user_id   BIGINT NOT NULL,
  thread_id BIGINT NOT NULL,
  at        TEXT COLLATE "C" NOT NULL,
  reason    TEXT COLLATE "C" NOT NULL,
  error     TEXT COLLATE "C" NOT NULL,
  attempts  BIGINT NOT NULL,
  told      BIGINT NOT NULL,
  PRIMARY KEY (user_id, thread_id)
);

CREATE TABLE facts (
  id            BIGINT NOT NULL,
  user_id       BIGINT NOT NULL,
  text          TEXT COLLATE "C" NOT NULL,
  kind          TEXT COLLATE "C" NOT NULL,
  subject       TEXT COLLATE "C" NOT NULL DEFAULT '',
  importance    DOUBLE PRECISION NOT NULL DEFAULT 0.5,
  tags          TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  source_ids    TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  observed_at   TEXT COLLATE "C" NOT NULL,
  valid_from    TEXT COLLATE "C",
  valid_to      TEXT COLLATE "C",
  superseded_by BIGINT,
  is_pinned     BIGINT NOT NULL DEFAULT 0,
  deleted_at    TEXT COLLATE "C",
  origin        TEXT COLLATE "C" NOT NULL DEFAULT '',
  created_at    TEXT COLLATE "C" NOT NULL,
  known_id      BIGINT,
  person_id     BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, id)
);
CREATE TABLE fact_vectors (
  user_id BIGINT NOT NULL,
  fact_id BIGINT NOT NULL,
  model   TEXT COLLATE "C" NOT NULL,
  vector  BYTEA NOT NULL,
  PRIMARY KEY (user_id, fact_id, model)
);

CREATE TABLE profiles (
  id              BIGINT NOT NULL,
  user_id         BIGINT NOT NULL,
  text            TEXT COLLATE "C" NOT NULL,
  created_at      TEXT COLLATE "C" NOT NULL,
  model           TEXT COLLATE "C" NOT NULL DEFAULT '',
  last_summary_id BIGINT NOT NULL DEFAULT 0,
  status          TEXT COLLATE "C" NOT NULL DEFAULT 'completed',
  tokens_in       BIGINT NOT NULL DEFAULT 0,
  tokens_out      BIGINT NOT NULL DEFAULT 0,
  base_id         BIGINT,
  fact_ids        TEXT COLLATE "C" NOT NULL DEFAULT 'null',
  PRIMARY KEY (user_id, id)
);

CREATE TABLE versions (
  id          BIGINT NOT NULL,
  user_id     BIGINT NOT NULL,
  message_id  BIGINT NOT NULL,
  thread_id   BIGINT NOT NULL DEFAULT 0,
  role        TEXT COLLATE "C" NOT NULL,
  content     TEXT COLLATE "C" NOT NULL,
  written_at  TEXT COLLATE "C" NOT NULL,
  replaced_at TEXT COLLATE "C" NOT NULL,
  why         TEXT COLLATE "C" NOT NULL DEFAULT 'edited',
  PRIMARY KEY (user_id, id)
);
CREATE INDEX version_message ON versions (user_id, message_id);

CREATE TABLE accounts (
  id         BIGINT NOT NULL,
  user_id    BIGINT NOT NULL,
  thread_id  BIGINT NOT NULL DEFAULT 0,
  account    TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, id)
);

CREATE TABLE progress (
  user_id      BIGINT NOT NULL,
  thread_id    BIGINT NOT NULL,
  learned_id   BIGINT NOT NULL DEFAULT 0,
  past_from    BIGINT,
  past_id      BIGINT,
  past_until   BIGINT,
  past_learned TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  PRIMARY KEY (user_id, thread_id)
);

CREATE TABLE rebuild_parts (
  user_id   BIGINT NOT NULL,
  thread_id BIGINT NOT NULL,
  digest    TEXT COLLATE "C" NOT NULL,
  made      TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, thread_id, digest)
);

CREATE TABLE restores (
  user_id  BIGINT NOT NULL,
  id       BIGINT NOT NULL,
  export   TEXT COLLATE "C" NOT NULL,
  begun_at TEXT COLLATE "C" NOT NULL,
  held     TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, id)
);

CREATE TABLE conversations (
  user_id    BIGINT NOT NULL,
  thread_id  BIGINT NOT NULL,
  place      BIGINT NOT NULL DEFAULT 0,
  title      TEXT COLLATE "C" NOT NULL DEFAULT '',
  is_named   BIGINT NOT NULL DEFAULT 0,
  created_at TEXT COLLATE "C" NOT NULL,
  opened_at  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, thread_id)
);

CREATE TABLE reminders (
  id         BIGINT NOT NULL,
  user_id    BIGINT NOT NULL,
  thread_id  BIGINT NOT NULL DEFAULT 0,
  person_id  BIGINT NOT NULL DEFAULT 0,
  text       TEXT COLLATE "C" NOT NULL,
  due_at     TEXT COLLATE "C" NOT NULL,
  wall_time  TEXT COLLATE "C" NOT NULL DEFAULT '',
  repeat     TEXT COLLATE "C" NOT NULL DEFAULT '',
  month_day  BIGINT NOT NULL DEFAULT 0,
  language   TEXT COLLATE "C" NOT NULL DEFAULT '',
  created_at TEXT COLLATE "C" NOT NULL,
  source_id  BIGINT,
  sends      BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX reminder_due ON reminders (due_at);

-- The terms of every message, analysed by us (text/analyzer.py). Each carries its scope, as in memory.db, so that a
-- search reads the postings of its own scope alone. How often a term stands in a message is in places.marks.
CREATE TABLE words (
  user_id BIGINT NOT NULL,
  seq     BIGINT NOT NULL,
  terms   TSVECTOR NOT NULL,
  PRIMARY KEY (user_id, seq)
);
-- New words wait in a list that every search reads from end to end, and which makes the server's planner prefer reading
-- the whole table: in 64 kB, the least there is, instead of 4 MB.
CREATE INDEX word_terms ON words USING GIN (terms) WITH (gin_pending_list_limit = 64);
-- In how many messages a term stands; kept by the triggers below, for a common term has long postings.
CREATE TABLE word_counts (
  user_id  BIGINT NOT NULL,
  term     TEXT COLLATE "C" NOT NULL,
  messages BIGINT NOT NULL,
  PRIMARY KEY (user_id, term)
) WITH (fillfactor = 80);

CREATE TABLE places (
  seq          BIGINT NOT NULL,
  user_id      BIGINT NOT NULL,
  thread_id    BIGINT NOT NULL,
  message_id   BIGINT NOT NULL,
  said_at      DOUBLE PRECISION NOT NULL,
  is_person    BIGINT NOT NULL,
  is_assistant BIGINT NOT NULL,
  speaker      TEXT COLLATE "C" NOT NULL DEFAULT '',
  length       BIGINT NOT NULL,
  size         BIGINT NOT NULL,
  marks        BYTEA NOT NULL,
  PRIMARY KEY (user_id, seq)
);
CREATE INDEX place_time ON places (user_id, thread_id, said_at, message_id);
CREATE INDEX place_number ON places (seq);
CREATE TABLE scope_words (
  user_id      BIGINT NOT NULL,
  thread_id    BIGINT NOT NULL,
  turns        BIGINT NOT NULL,
  terms        BIGINT NOT NULL,
  person_turns BIGINT NOT NULL,
  person_terms BIGINT NOT NULL,
  PRIMARY KEY (user_id, thread_id)
);

-- Which models there are concerns nobody in particular: a small table of its own.
CREATE TABLE embedding_models (
  id         BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  name       TEXT COLLATE "C" NOT NULL UNIQUE,
  is_current BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE vectors (
  user_id   BIGINT NOT NULL,
  thread_id BIGINT NOT NULL,
  model_id  BIGINT NOT NULL,
  kind      TEXT COLLATE "C" NOT NULL CHECK (kind IN ('passage', 'sentence')),
  seq       BIGINT NOT NULL,
  part      BIGINT NOT NULL,
  vector    BYTEA NOT NULL,
  PRIMARY KEY (user_id, thread_id, model_id, kind, seq, part)
);
-- Numbers of no pattern: compressing them would cost time and save nothing.
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE TABLE unindexed (
  user_id BIGINT NOT NULL,
  seq     BIGINT NOT NULL,
  PRIMARY KEY (user_id, seq)
);
CREATE INDEX unindexed_number ON unindexed (seq);

-- The processes; one that has not said for a while that it lives is taken for dead.
CREATE TABLE replicas (
  id         BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  instance_id TEXT COLLATE "C" NOT NULL,
  expires_at TIMESTAMPTZ NOT NULL
);

-- Who serves an owner. A row stays when nobody does. One stands for fetching updates (leases.py).
CREATE TABLE leases (
  user_id    BIGINT PRIMARY KEY,
  replica_id BIGINT,
  fence      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX lease_replica ON leases (replica_id) WHERE replica_id IS NOT NULL;
CREATE SEQUENCE lease_fences;

-- As in memory.db, and: whose work it is, who sent it, and under which lease it was handed out last.
CREATE TABLE updates (
  position    BIGINT GENERATED BY DEFAULT AS IDENTITY,
  bot_id      BIGINT NOT NULL,
  update_id   BIGINT NOT NULL,
  user_id     BIGINT NOT NULL,
  person_id   BIGINT NOT NULL,
  payload     TEXT COLLATE "C",
  received_at TEXT COLLATE "C" NOT NULL,
  attempts    BIGINT NOT NULL DEFAULT 0,
  readings    BIGINT NOT NULL DEFAULT 0,
  sends       BIGINT NOT NULL DEFAULT 0,
  shown       TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  mode        TEXT COLLATE "C",
  fence       BIGINT NOT NULL DEFAULT 0,
  done_at     TEXT COLLATE "C",
  PRIMARY KEY (bot_id, update_id)
);
CREATE UNIQUE INDEX update_position ON updates (position);
CREATE INDEX update_pending ON updates (user_id, position) WHERE done_at IS NULL;
CREATE INDEX update_person ON updates (person_id) WHERE done_at IS NULL;
CREATE INDEX update_done ON updates (done_at) WHERE done_at IS NOT NULL;

-- As in memory.db.
CREATE TABLE wizards (
  user_id    BIGINT NOT NULL,
  thread_id  BIGINT NOT NULL,
  person_id  BIGINT NOT NULL,
  step       TEXT COLLATE "C" NOT NULL,
  storage    TEXT COLLATE "C",
  nonce      TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, thread_id, person_id)
);
CREATE TABLE usage (
  day               TEXT COLLATE "C" NOT NULL,
  user_id           BIGINT NOT NULL,
  model             TEXT COLLATE "C" NOT NULL DEFAULT '',
  prompt_tokens     BIGINT NOT NULL,
  completion_tokens BIGINT NOT NULL,
  cached_tokens     BIGINT NOT NULL DEFAULT 0,
  answers           BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (day, user_id, model)
);
CREATE INDEX usage_user ON usage (user_id, day);
CREATE TABLE forgettings (
  id        BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  user_id   BIGINT NOT NULL,
  what      TEXT COLLATE "C" NOT NULL,
  begun_at  TEXT COLLATE "C" NOT NULL,
  is_erased BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE renamings (
  old_id  BIGINT PRIMARY KEY,
  new_id  BIGINT NOT NULL,
  at      TEXT COLLATE "C" NOT NULL,
  is_done BIGINT NOT NULL
);
CREATE INDEX renaming_new ON renamings (new_id);
CREATE TABLE people (
  person_id  BIGINT PRIMARY KEY,
  standing   TEXT COLLATE "C" NOT NULL,
  name       TEXT COLLATE "C" NOT NULL DEFAULT '',
  language   TEXT COLLATE "C" NOT NULL DEFAULT '',
  changed_at TEXT COLLATE "C" NOT NULL,
  changed_by BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE export_keys (
  id  BIGINT PRIMARY KEY CHECK (id = 1),
  key TEXT COLLATE "C" NOT NULL
);
CREATE TABLE broadcasts (
  id         BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  admin_id   BIGINT NOT NULL,
  text       TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  receipt_id BIGINT,
  is_sending BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE broadcast_people (
  broadcast_id BIGINT NOT NULL,
  person_id    BIGINT NOT NULL,
  outcome      TEXT COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (broadcast_id, person_id)
);

-- A renaming moves rows from one partition to another, which is a deletion and an insertion to row triggers.
-- Once for a statement. Row by row, the counts of a scope had as many versions in a transaction as it stored messages,
-- and each new one was found by passing all the others.
CREATE FUNCTION message_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO scopes (user_id, thread_id, total, archived, characters)
  SELECT user_id, thread_id, COUNT(*), COUNT(*) - SUM(is_active), SUM(LENGTH(content)) FROM added
  GROUP BY user_id, thread_id
  ON CONFLICT (user_id, thread_id) DO UPDATE SET total = scopes.total + excluded.total,
    archived = scopes.archived + excluded.archived, characters = scopes.characters + excluded.characters;
  INSERT INTO unindexed (user_id, seq) SELECT user_id, seq FROM added ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER message_counted AFTER INSERT ON messages REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  WHEN (current_setting('app.renaming', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION message_counted();

CREATE FUNCTION message_uncounted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE scopes SET total = total - 1, archived = archived - 1 + old.is_active,
    characters = characters - LENGTH(old.content)
  WHERE user_id = old.user_id AND thread_id = old.thread_id;
  DELETE FROM vectors WHERE user_id = old.user_id AND thread_id = old.thread_id AND seq = old.seq
    AND model_id = ANY (ARRAY(SELECT id FROM embedding_models)) AND kind = ANY ('{passage,sentence}');
  DELETE FROM unindexed WHERE user_id = old.user_id AND seq = old.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER message_uncounted AFTER DELETE ON messages FOR EACH ROW
  WHEN (current_setting('app.renaming', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION message_uncounted();

CREATE FUNCTION message_recounted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE scopes SET archived = archived + old.is_active - new.is_active
  WHERE user_id = new.user_id AND thread_id = new.thread_id;
  RETURN NULL;
END $$;
CREATE TRIGGER message_recounted AFTER UPDATE OF is_active ON messages FOR EACH ROW
  WHEN (old.is_active <> new.is_active) EXECUTE FUNCTION message_recounted();

CREATE FUNCTION message_edited() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE scopes SET characters = characters - LENGTH(old.content) + LENGTH(new.content)
  WHERE user_id = new.user_id AND thread_id = new.thread_id;
  DELETE FROM vectors WHERE user_id = old.user_id AND thread_id = old.thread_id AND seq = old.seq
    AND model_id = ANY (ARRAY(SELECT id FROM embedding_models)) AND kind = ANY ('{passage,sentence}');
  INSERT INTO unindexed (user_id, seq) VALUES (new.user_id, new.seq) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER message_edited AFTER UPDATE OF content ON messages FOR EACH ROW
  WHEN (old.content <> new.content) EXECUTE FUNCTION message_edited();

CREATE FUNCTION fact_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM fact_vectors WHERE user_id = old.user_id AND fact_id = old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER fact_gone AFTER DELETE ON facts FOR EACH ROW
  WHEN (current_setting('app.renaming', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION fact_gone();
CREATE TRIGGER fact_edited AFTER UPDATE OF text ON facts FOR EACH ROW
  WHEN (old.text <> new.text) EXECUTE FUNCTION fact_gone();

CREATE FUNCTION place_taken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO scope_words
  SELECT user_id, thread_id, COUNT(*), SUM(length), SUM(is_person), SUM(length * is_person) FROM added
  GROUP BY user_id, thread_id
  ON CONFLICT (user_id, thread_id) DO UPDATE SET turns = scope_words.turns + excluded.turns,
    terms = scope_words.terms + excluded.terms, person_turns = scope_words.person_turns + excluded.person_turns,
    person_terms = scope_words.person_terms + excluded.person_terms;
  RETURN NULL;
END $$;
CREATE TRIGGER place_taken AFTER INSERT ON places REFERENCING NEW TABLE AS added FOR EACH STATEMENT
  WHEN (current_setting('app.renaming', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION place_taken();
CREATE FUNCTION place_left() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE scope_words SET turns = turns - 1, terms = terms - old.length,
    person_turns = person_turns - old.is_person, person_terms = person_terms - old.length * old.is_person
  WHERE user_id = old.user_id AND thread_id = old.thread_id;
  RETURN NULL;
END $$;
CREATE TRIGGER place_left AFTER DELETE ON places FOR EACH ROW
  WHEN (current_setting('app.renaming', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION place_left();

-- Once for a statement, since a message has many terms.
CREATE FUNCTION words_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO word_counts (user_id, term, messages)
  SELECT user_id, lexeme, COUNT(*) FROM added CROSS JOIN LATERAL unnest(terms) GROUP BY user_id, lexeme
  ON CONFLICT (user_id, term) DO UPDATE SET messages = word_counts.messages + excluded.messages;
  RETURN NULL;
END $$;
CREATE TRIGGER words_counted AFTER INSERT ON words REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION words_counted();
CREATE FUNCTION words_uncounted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE word_counts SET messages = word_counts.messages - fewer.messages
  FROM (
    SELECT user_id, lexeme, COUNT(*) AS messages FROM gone CROSS JOIN LATERAL unnest(terms) GROUP BY user_id, lexeme
  ) AS fewer WHERE word_counts.user_id = fewer.user_id AND word_counts.term = fewer.lexeme;
  DELETE FROM word_counts WHERE messages <= 0 AND user_id IN (SELECT user_id FROM gone);
  RETURN NULL;
END $$;
CREATE TRIGGER words_uncounted AFTER DELETE ON words REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION words_uncounted();

-- What the statements use of SQLite's functions, under the same names, so that both engines read the same SQL.
-- Of one argument: a JSON array of whole numbers. With a path, values are texts: read them with CAST or json_extract.
CREATE FUNCTION json_each(numbers TEXT) RETURNS TABLE (key BIGINT, value BIGINT) LANGUAGE sql IMMUTABLE AS $$
  SELECT place - 1, item::BIGINT FROM json_array_elements_text(numbers::JSON) WITH ORDINALITY AS a (item, place)
$$;
CREATE FUNCTION json_each(object TEXT, path TEXT) RETURNS TABLE (key BIGINT, value TEXT, type TEXT)
LANGUAGE sql IMMUTABLE AS $$
  SELECT place - 1, item #>> '{}', CASE json_typeof(item) WHEN 'string' THEN 'text' ELSE json_typeof(item) END
  FROM json_array_elements(CASE path WHEN '$' THEN object::JSON ELSE object::JSON -> substr(path, 3) END)
  WITH ORDINALITY AS a (item, place)
$$;
-- Paths: '$', and '$[0]' to '$[9]'.
CREATE FUNCTION json_extract(list TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE path WHEN '$' THEN list ELSE list::JSON ->> substr(path, 3, 1)::INT END
$$;
CREATE FUNCTION json_set(object TEXT, path TEXT, value TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT (object::JSONB || jsonb_build_object(substr(path, 3), value::JSONB))::TEXT
$$;
CREATE FUNCTION json_remove(object TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT (object::JSONB - substr(path, 3))::TEXT
$$;
CREATE FUNCTION max(one BIGINT, other BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS 'SELECT GREATEST(one, other)';
CREATE FUNCTION min(one BIGINT, other BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS 'SELECT LEAST(one, other)';

CREATE FUNCTION is_dead(replica BIGINT) RETURNS BOOLEAN LANGUAGE sql VOLATILE AS $$
  SELECT NOT EXISTS (SELECT 1 FROM replicas WHERE id = replica AND expires_at > clock_timestamp())
$$;

-- Whether a process may handle an owner at all: a memory in files only where these files are.
CREATE FUNCTION is_at_home(owner BIGINT, here TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM users WHERE user_id = owner AND storage_type <> 'postgres' AND instance_id NOT IN ('', here)
  )
$$;

-- Whether background work for an owner is this connection's process's: nobody else serves them, and it may.
CREATE FUNCTION served_here(owner BIGINT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM leases JOIN replicas ON replicas.id = leases.replica_id
    WHERE leases.user_id = owner AND replicas.id::TEXT <> current_setting('app.replica', true)
    AND replicas.expires_at > clock_timestamp()
  )
$$;

-- The first statement of a writing transaction. The row stays locked, so that nobody takes the lease before its end.
CREATE FUNCTION demand_lease(owner BIGINT, held BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$ BEGIN
  PERFORM 1 FROM leases WHERE user_id = owner AND fence = held FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'served elsewhere' USING ERRCODE = '55K01';
  END IF;
END $$;

-- Wake the process that serves an owner, unless it is this one; where none does, all of them.
CREATE FUNCTION wake_for(owner BIGINT, me BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE server BIGINT;
BEGIN
  SELECT replica_id INTO server FROM leases WHERE user_id = owner AND NOT is_dead(replica_id);
  IF server IS DISTINCT FROM me THEN
    PERFORM pg_notify('keepsake_' || current_schema() || COALESCE('_' || server, ''), '');
  END IF;
END $$;

-- A second wall: who connects as a user that does not own these tables sees the rows of one owner, or of all where the
-- work concerns all ('*'). The owner of the tables is not held back, so that its searches may use every index.
DO $$ DECLARE name TEXT; BEGIN
  FOREACH name IN ARRAY ARRAY[
    'users', 'progress', 'messages', 'summaries', 'failures', 'facts', 'profiles', 'versions', 'accounts', 'restores',
    'conversations', 'reminders', 'fact_vectors', 'jobs', 'scopes', 'rebuild_parts', 'words', 'word_counts', 'places',
    'scope_words', 'vectors', 'unindexed'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY of_owner ON %I USING (current_setting(''app.owner'', true) IN (user_id::TEXT, ''*''))', name
    );
  END LOOP;
END $$;
