"""The schema of memory.db (and of index.db) in its first version; later changes are in migrations.py."""

FIRST_SCHEMA = """
-- One row for each owner that memory.db knows, wherever the memory itself lives.
CREATE TABLE users (
  user_id         INTEGER PRIMARY KEY,        -- the Telegram user, or the (negative) chat id of a group
  storage_type    TEXT NOT NULL,              -- 'sqlite' or 'json': the one place that answers for this owner
  summary_every_n INTEGER NOT NULL,           -- threshold of the pyramid policy, in user turns
  memory_enabled  INTEGER NOT NULL,
  created_at      TEXT NOT NULL,              -- all times: ISO 8601, UTC, +00:00
  updated_at      TEXT NOT NULL,
  -- Counters, so that an id is never given twice, whatever was deleted and wherever the owner moved.
  next_message_id INTEGER NOT NULL DEFAULT 1,
  next_summary_id INTEGER NOT NULL DEFAULT 1,
  last_fence      INTEGER NOT NULL DEFAULT 0, -- of the owner's fold leases; a lease with an older one is void
  epoch           INTEGER NOT NULL DEFAULT 1  -- grows with every move between stores
);

CREATE TABLE messages (
  seq         INTEGER PRIMARY KEY,            -- of this file alone: joins `words`; not kept across moves
  id          INTEGER NOT NULL,               -- per owner, ascending, never used again
  user_id     INTEGER NOT NULL REFERENCES users DEFERRABLE INITIALLY DEFERRED,
  thread_id   INTEGER NOT NULL DEFAULT 0,     -- Telegram topic; 0 = none
  role        TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system')),
  content     TEXT NOT NULL,                  -- as it came; folding never touches it
  created_at  TEXT NOT NULL,
  is_active   INTEGER NOT NULL CHECK (is_active = (chunk_id IS NULL)),
  chunk_id    INTEGER,                        -- the fold that archived it: the id of the summary made then
  turn_id     INTEGER NOT NULL,               -- id of the first message of the turn
  speaker     TEXT NOT NULL DEFAULT '',
  source      TEXT,                           -- what caused it ('bot:update', 'import:…')
  telegram_id INTEGER,
  UNIQUE (user_id, id),
  FOREIGN KEY (user_id, chunk_id) REFERENCES summaries (user_id, id) DEFERRABLE INITIALLY DEFERRED
);
-- A replayed update is not stored twice.
CREATE UNIQUE INDEX message_source ON messages (user_id, role, source) WHERE source IS NOT NULL;
CREATE INDEX message_scope ON messages (user_id, thread_id, id);
CREATE INDEX message_turn ON messages (user_id, thread_id, turn_id);
CREATE INDEX message_chunk ON messages (user_id, chunk_id);
CREATE INDEX message_active ON messages (user_id, thread_id, id) WHERE is_active = 1;

CREATE TABLE summaries (
  id               INTEGER NOT NULL,          -- per owner, ascending, never used again
  user_id          INTEGER NOT NULL REFERENCES users DEFERRABLE INITIALLY DEFERRED,
  thread_id        INTEGER NOT NULL DEFAULT 0,
  summary_text     TEXT NOT NULL,
  created_at       TEXT NOT NULL,
  level            INTEGER NOT NULL,          -- 1 covers a chunk of messages, n+1 covers summaries of level n
  source_chunk_ids TEXT NOT NULL,             -- JSON array: the chunks it covers, at every level
  is_active        INTEGER NOT NULL,          -- 0 once a higher summary covers it
  source_ids       TEXT NOT NULL DEFAULT '[]', -- JSON array: the summaries it was made of
  first_id         INTEGER NOT NULL,          -- first and last message that it covers, and their dates
  last_id          INTEGER NOT NULL,
  first_at         TEXT NOT NULL,
  last_at          TEXT NOT NULL,
  message_count    INTEGER NOT NULL,
  model            TEXT NOT NULL DEFAULT '',
  prompt_version   TEXT NOT NULL DEFAULT '',
  tokens_in        INTEGER NOT NULL DEFAULT 0, -- what making it cost
  tokens_out       INTEGER NOT NULL DEFAULT 0,
  milliseconds     INTEGER NOT NULL DEFAULT 0,
  base_id          INTEGER,                   -- the version it was based on
  PRIMARY KEY (user_id, id)
);
CREATE INDEX summary_scope ON summaries (user_id, thread_id, is_active, id);

-- A scope in figures, kept by the triggers below, so that counting costs the same at ten messages and a million.
CREATE TABLE scopes (
  user_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  total     INTEGER NOT NULL,
  archived  INTEGER NOT NULL,
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;
CREATE TRIGGER message_counted AFTER INSERT ON messages BEGIN
  INSERT INTO scopes VALUES (new.user_id, new.thread_id, 1, 1 - new.is_active)
  ON CONFLICT DO UPDATE SET total = total + 1, archived = archived + 1 - new.is_active;
END;
CREATE TRIGGER message_recounted AFTER UPDATE OF is_active ON messages WHEN old.is_active <> new.is_active BEGIN
  UPDATE scopes SET archived = archived + old.is_active - new.is_active
  WHERE user_id = new.user_id AND thread_id = new.thread_id;
END;
CREATE TRIGGER message_uncounted AFTER DELETE ON messages BEGIN
  UPDATE scopes SET total = total - 1, archived = archived - 1 + old.is_active
  WHERE user_id = old.user_id AND thread_id = old.thread_id;
END;

-- Fold attempts. A lease is a row in state 'processing'; there is at most one for each scope.
CREATE TABLE jobs (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('processing', 'completed', 'failed', 'expired')),
  reason     TEXT NOT NULL,
  fence      INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,                   -- from then on anyone may take the scope's lease
  ended_at   TEXT,
  error      TEXT,
  summary_id INTEGER
);
CREATE UNIQUE INDEX job_live ON jobs (user_id, thread_id) WHERE state = 'processing';
CREATE INDEX job_owner ON jobs (user_id);

-- The last failed fold of a scope, while none has succeeded since.
CREATE TABLE failures (
  user_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  at        TEXT NOT NULL,
  reason    TEXT NOT NULL,
  error     TEXT NOT NULL,
  attempts  INTEGER NOT NULL,                 -- in a row
  told      INTEGER NOT NULL,                 -- 1 once the owner was told
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;

-- Telegram's updates, written before Telegram is told that we have them.
CREATE TABLE updates (
  position    INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival; Telegram may restart its own numbers
  bot_id      INTEGER NOT NULL,
  update_id   INTEGER NOT NULL,
  payload     TEXT,                           -- the raw update; NULL once done, the id stays to know it again
  received_at TEXT NOT NULL,
  attempts    INTEGER NOT NULL DEFAULT 0,     -- times its work was begun
  sends       INTEGER NOT NULL DEFAULT 0,     -- times the sending of its answer was begun
  done_at     TEXT,
  UNIQUE (bot_id, update_id)
);
CREATE INDEX update_pending ON updates (bot_id, position) WHERE done_at IS NULL;

-- Where a person stands in the /summary wizard of a scope.
CREATE TABLE wizards (
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL,
  person_id  INTEGER NOT NULL,
  step       TEXT NOT NULL,
  storage    TEXT,                            -- chosen in step 1
  nonce      TEXT NOT NULL,                   -- buttons of an older run of the wizard do nothing
  expires_at TEXT NOT NULL,
  PRIMARY KEY (user_id, thread_id, person_id)
) WITHOUT ROWID;

-- A move between stores that is under way; storage/directory.py says what a start does about it.
CREATE TABLE moves (
  user_id    INTEGER PRIMARY KEY,
  source     TEXT NOT NULL,
  target     TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('copying', 'erasing')),
  started_at TEXT NOT NULL
);

-- The words of every message; rowid = messages.seq. Python analyses them (text/analyzer.py), so any SQLite can open it.
-- Marks count as letters: without that, Hindi and Thai words would be torn apart.
CREATE VIRTUAL TABLE words USING fts5(terms, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'");
-- How many messages hold a term. Terms carry their scope, so each figure is of one scope only.
CREATE VIRTUAL TABLE word_counts USING fts5vocab(words, row);

-- Where a message stands among its scope's, for ranking: neighbours answer to each other.
CREATE TABLE places (
  seq       INTEGER PRIMARY KEY,              -- messages.seq
  user_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  place     INTEGER NOT NULL,                 -- no longer read, like session: order is time
  session   INTEGER NOT NULL,                 -- grows by one after a long silence
  said_at   REAL NOT NULL,                    -- seconds since 1970
  is_person INTEGER NOT NULL,                 -- 0: the assistant's
  length    INTEGER NOT NULL                  -- terms, repetitions counted
);
CREATE UNIQUE INDEX place_scope ON places (user_id, thread_id, place);
-- The sums of the lengths of a scope's messages, kept by the triggers: for BM25, and to tell how long its answers are.
CREATE TABLE scope_words (
  user_id      INTEGER NOT NULL,
  thread_id    INTEGER NOT NULL,
  turns        INTEGER NOT NULL,
  terms        INTEGER NOT NULL,
  person_turns INTEGER NOT NULL,
  person_terms INTEGER NOT NULL,
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;
CREATE TRIGGER place_taken AFTER INSERT ON places BEGIN
  INSERT INTO scope_words VALUES
    (new.user_id, new.thread_id, 1, new.length, new.is_person, new.length * new.is_person)
  ON CONFLICT DO UPDATE SET turns = turns + 1, terms = terms + new.length,
    person_turns = person_turns + new.is_person, person_terms = person_terms + new.length * new.is_person;
END;
CREATE TRIGGER place_left AFTER DELETE ON places BEGIN
  UPDATE scope_words SET turns = turns - 1, terms = terms - old.length,
    person_turns = person_turns - old.is_person, person_terms = person_terms - old.length * old.is_person
  WHERE user_id = old.user_id AND thread_id = old.thread_id;
END;

-- Meaning: the vectors of each message by the current model; those of an earlier one stay until they are replaced.
CREATE TABLE embedding_models (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  is_current INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE vectors (
  id        INTEGER PRIMARY KEY,
  seq       INTEGER NOT NULL,                 -- messages.seq
  user_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  model_id  INTEGER NOT NULL REFERENCES embedding_models,
  kind      TEXT NOT NULL CHECK (kind IN ('passage', 'sentence')),
  part      INTEGER NOT NULL,                 -- 0, 1, 2 … of a long message's passages, or of its sentences
  vector    BLOB NOT NULL                     -- float16, little-endian, of length 1
);
CREATE UNIQUE INDEX vector_scope ON vectors (user_id, thread_id, model_id, kind, seq, part);
-- Messages that the current model has not embedded yet.
CREATE TABLE unindexed (
  seq     INTEGER PRIMARY KEY,                -- messages.seq
  user_id INTEGER NOT NULL
);
CREATE INDEX unindexed_owner ON unindexed (user_id);
CREATE TRIGGER message_unindexed AFTER INSERT ON messages BEGIN
  INSERT INTO unindexed VALUES (new.seq, new.user_id);
END;
CREATE TRIGGER message_edited AFTER UPDATE OF content ON messages WHEN old.content <> new.content BEGIN
  DELETE FROM vectors WHERE user_id = old.user_id AND thread_id = old.thread_id AND seq = old.seq
    AND model_id IN (SELECT id FROM embedding_models) AND kind IN ('passage', 'sentence');
  INSERT OR IGNORE INTO unindexed VALUES (new.seq, new.user_id);
END;
CREATE TRIGGER message_gone AFTER DELETE ON messages BEGIN
  DELETE FROM vectors WHERE user_id = old.user_id AND thread_id = old.thread_id AND seq = old.seq
    AND model_id IN (SELECT id FROM embedding_models) AND kind IN ('passage', 'sentence');
  DELETE FROM unindexed WHERE seq = old.seq;
END;
"""
