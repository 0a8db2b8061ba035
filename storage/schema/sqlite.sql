-- The schema of memory.db (and of index.db). What comes after 1.0 is a step of migrations.py.

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
  next_fact_id    INTEGER NOT NULL DEFAULT 1,
  next_profile_id INTEGER NOT NULL DEFAULT 1,
  next_version_id INTEGER NOT NULL DEFAULT 1,
  next_reminder_id INTEGER NOT NULL DEFAULT 1,
  last_fence      INTEGER NOT NULL DEFAULT 0, -- of the owner's fold leases; a lease with an older one is void
  epoch           INTEGER NOT NULL DEFAULT 1, -- grows with every move between stores
  -- An owner's further settings and counters.
  policy          TEXT NOT NULL DEFAULT 'pyramid',
  auto_fold       INTEGER NOT NULL DEFAULT 1, -- 0: summaries only when asked for
  timezone        TEXT NOT NULL DEFAULT '',   -- IANA name; '' = UTC
  fold_instructions TEXT NOT NULL DEFAULT '', -- what summaries are to follow as well
  incognito       INTEGER NOT NULL DEFAULT 0, -- 1: memory is read, nothing is written
  tokens_saved    INTEGER NOT NULL DEFAULT 0, -- against sending the whole history each time
  language        TEXT NOT NULL DEFAULT '',   -- of the bot's own words; '' = none was chosen
  model           TEXT NOT NULL DEFAULT '',   -- which one answers; '' = the usual one
  persona         TEXT NOT NULL DEFAULT '',   -- in what manner: one of the given ones, or 'own'
  persona_text    TEXT NOT NULL DEFAULT '',
  spoken_answers  TEXT NOT NULL DEFAULT ''    -- spoken without being asked: '' (none), 'voice' (to voice) or 'always'
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
  origin      TEXT NOT NULL DEFAULT '',       -- '' (said here), 'forwarded', 'tool' (a tool's output) or 'imported'
  edited_at   TEXT,
  person_id   INTEGER NOT NULL DEFAULT 0,     -- in a group: the Telegram id of who said it
  UNIQUE (user_id, id),
  FOREIGN KEY (user_id, chunk_id) REFERENCES summaries (user_id, id) DEFERRABLE INITIALLY DEFERRED
);
-- A replayed update is not stored twice.
CREATE UNIQUE INDEX message_source ON messages (user_id, role, source) WHERE source IS NOT NULL;
-- The order of a scope is time: created_at, then id. An id only says which message it is: imported history comes in
-- any order. All times are of one form, so that their texts sort as they do.
CREATE INDEX message_time ON messages (user_id, thread_id, created_at, id);
CREATE INDEX message_active ON messages (user_id, thread_id, created_at, id) WHERE is_active = 1;
CREATE INDEX message_turn ON messages (user_id, thread_id, turn_id);
CREATE INDEX message_chunk ON messages (user_id, chunk_id);
-- The message that an edit or a reply names.
CREATE INDEX message_telegram ON messages (user_id, thread_id, telegram_id) WHERE telegram_id IS NOT NULL;

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
  policy           TEXT NOT NULL DEFAULT 'pyramid',
  reason           TEXT NOT NULL DEFAULT '',  -- why it was made: 'threshold', 'now' …
  score            REAL,                      -- quality, 0 to 1; NULL = not measured
  details          TEXT NOT NULL DEFAULT '{}', -- JSON object: the parts of the score
  status           TEXT NOT NULL DEFAULT 'completed',
  PRIMARY KEY (user_id, id)
);
CREATE INDEX summary_scope ON summaries (user_id, thread_id, is_active, id);

-- A scope in figures, kept by the triggers below, so that counting costs the same at ten messages and a million.
CREATE TABLE scopes (
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL,
  total      INTEGER NOT NULL,
  archived   INTEGER NOT NULL,
  characters INTEGER NOT NULL DEFAULT 0,      -- of all its messages: what the whole history would cost
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;
CREATE TRIGGER message_counted AFTER INSERT ON messages BEGIN
  INSERT INTO scopes (user_id, thread_id, total, archived, characters)
  VALUES (new.user_id, new.thread_id, 1, 1 - new.is_active, LENGTH(new.content))
  ON CONFLICT DO UPDATE SET
    total = total + 1, archived = archived + excluded.archived, characters = characters + excluded.characters;
END;
CREATE TRIGGER message_recounted AFTER UPDATE OF is_active ON messages WHEN old.is_active <> new.is_active BEGIN
  UPDATE scopes SET archived = archived + old.is_active - new.is_active
  WHERE user_id = new.user_id AND thread_id = new.thread_id;
END;
CREATE TRIGGER message_resized AFTER UPDATE OF content ON messages WHEN old.content <> new.content BEGIN
  UPDATE scopes SET characters = characters - LENGTH(old.content) + LENGTH(new.content)
  WHERE user_id = new.user_id AND thread_id = new.thread_id;
END;
CREATE TRIGGER message_uncounted AFTER DELETE ON messages BEGIN
  UPDATE scopes SET
    total = total - 1, archived = archived - 1 + old.is_active, characters = characters - LENGTH(old.content)
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

-- Facts about an owner: one sentence each.
CREATE TABLE facts (
  id            INTEGER NOT NULL,             -- per owner, ascending, never used again
  user_id       INTEGER NOT NULL,
  text          TEXT NOT NULL,                -- third person
  kind          TEXT NOT NULL,                -- personal, preference, knowledge or event
  subject       TEXT NOT NULL DEFAULT '',     -- what it is about, so that a newer value finds the older
  importance    REAL NOT NULL DEFAULT 0.5,    -- 0 to 1
  tags          TEXT NOT NULL DEFAULT '[]',   -- JSON array of words
  source_ids    TEXT NOT NULL DEFAULT '[]',   -- JSON array: the messages that it was learned from
  observed_at   TEXT NOT NULL,
  valid_from    TEXT,
  valid_to      TEXT,                         -- NULL = still true as far as is known
  superseded_by INTEGER,                      -- the fact that replaced it
  is_pinned     INTEGER NOT NULL DEFAULT 0,
  deleted_at    TEXT,                         -- its owner took it out; soon erased
  origin        TEXT NOT NULL DEFAULT '',     -- '' (learned) or 'owner' (told by /memory add)
  created_at    TEXT NOT NULL,
  known_id      INTEGER,                      -- the known fact that a learned one is about, whose words it may repeat
  person_id     INTEGER NOT NULL DEFAULT 0,   -- in a group: the member who said it
  PRIMARY KEY (user_id, id)
);
-- Derived: a fact's meaning under one embedding model.
CREATE TABLE fact_vectors (
  user_id INTEGER NOT NULL,
  fact_id INTEGER NOT NULL,
  model   TEXT NOT NULL,
  vector  BLOB NOT NULL,                      -- float16, little-endian, of length 1
  PRIMARY KEY (user_id, fact_id, model)
);
CREATE TRIGGER fact_gone AFTER DELETE ON facts BEGIN
  DELETE FROM fact_vectors WHERE user_id = old.user_id AND fact_id = old.id;
END;
CREATE TRIGGER fact_edited AFTER UPDATE OF text ON facts WHEN old.text <> new.text BEGIN
  DELETE FROM fact_vectors WHERE user_id = old.user_id AND fact_id = old.id;
END;

-- The distilled document about an owner: every version, the newest is the one in use.
CREATE TABLE profiles (
  id              INTEGER NOT NULL,
  user_id         INTEGER NOT NULL,
  text            TEXT NOT NULL,
  created_at      TEXT NOT NULL,
  model           TEXT NOT NULL DEFAULT '',
  last_summary_id INTEGER NOT NULL DEFAULT 0, -- the newest summary that went into it
  status          TEXT NOT NULL DEFAULT 'completed',
  tokens_in       INTEGER NOT NULL DEFAULT 0,
  tokens_out      INTEGER NOT NULL DEFAULT 0,
  -- What else it was made from, so that it is deleted with exactly that.
  base_id         INTEGER,                    -- the version before it
  fact_ids        TEXT NOT NULL DEFAULT 'null', -- JSON list; null: not known
  PRIMARY KEY (user_id, id)
);

-- Earlier texts of edited messages, rejected and superseded answers: in no count and no prompt.
CREATE TABLE versions (
  id          INTEGER NOT NULL,
  user_id     INTEGER NOT NULL,
  message_id  INTEGER NOT NULL,
  thread_id   INTEGER NOT NULL DEFAULT 0,
  role        TEXT NOT NULL,
  content     TEXT NOT NULL,
  written_at  TEXT NOT NULL,
  replaced_at TEXT NOT NULL,
  why         TEXT NOT NULL DEFAULT 'edited',
  PRIMARY KEY (user_id, id)
);
CREATE INDEX version_message ON versions (user_id, message_id);

-- The explanations of the newest answers (called accounts here): ids and figures, never text.
CREATE TABLE accounts (
  id         INTEGER NOT NULL,                -- the answer's message id
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL DEFAULT 0,
  account    TEXT NOT NULL,                   -- JSON object
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);

-- How far background work has got in a scope.
CREATE TABLE progress (
  user_id      INTEGER NOT NULL,
  thread_id    INTEGER NOT NULL,
  learned_id   INTEGER NOT NULL DEFAULT 0,    -- facts were extracted up to this message
  -- Imported history that facts are learned from on request (history extraction). NULL: it never was.
  past_from    INTEGER,                       -- from behind this message
  past_id      INTEGER,                       -- learned up to this one
  past_until   INTEGER,                       -- to be learned up to this one
  past_learned TEXT NOT NULL DEFAULT '[]',    -- before past_from was set: JSON list of [behind this one, up to this]
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;

-- A restore may be of several files, in any order. Row 0 of an owner says how far it is; the others hold rows of the
-- export, as JSON, that can only be put once all of its files are in. Like every table of an owner's, it moves along.
CREATE TABLE restores (
  user_id  INTEGER NOT NULL,
  id       INTEGER NOT NULL,
  export   TEXT NOT NULL,                     -- which export
  begun_at TEXT NOT NULL,
  held     TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
) WITHOUT ROWID;

-- The conversations of a place (a chat or one of its topics), once there was more than one. thread_id is the scope's.
CREATE TABLE conversations (
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL,
  place      INTEGER NOT NULL DEFAULT 0,      -- the thread in Telegram
  title      TEXT NOT NULL DEFAULT '',        -- '' = none yet
  is_named   INTEGER NOT NULL DEFAULT 0,      -- its owner gave the title
  created_at TEXT NOT NULL,
  opened_at  TEXT NOT NULL,                   -- the latest one of a place is where the talk goes on
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;

-- What a rebuild has made so far, so that an interrupted one continues; see background/rebuild.py. Never read for
-- anything else, and deleted with the first thing that its owner forgets.
CREATE TABLE rebuild_parts (
  user_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  digest    TEXT NOT NULL,                    -- of what it was made from, word by word
  made      TEXT NOT NULL,                    -- JSON object: the summary's text, and what making it cost
  PRIMARY KEY (user_id, thread_id, digest)
);

-- What somebody asked to be told at a time; a row goes when it was told for the last time.
CREATE TABLE reminders (
  id         INTEGER NOT NULL,                -- per owner, ascending, never used again
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL DEFAULT 0,      -- where it is told
  person_id  INTEGER NOT NULL DEFAULT 0,      -- who asked
  text       TEXT NOT NULL,
  due_at     TEXT NOT NULL,                   -- the next time
  wall_time  TEXT NOT NULL DEFAULT '',        -- the same by the owner's clock; '' = a distance was asked for
  repeat     TEXT NOT NULL DEFAULT '',        -- '' (once), 'daily', 'weekly' or 'monthly'
  month_day  INTEGER NOT NULL DEFAULT 0,      -- of a monthly one
  language   TEXT NOT NULL DEFAULT '',        -- in which it was asked for
  created_at TEXT NOT NULL,
  source_id  INTEGER,                         -- the message that asked for it, with which it is forgotten
  sends      INTEGER NOT NULL DEFAULT 0,      -- times that telling it was begun, and not known to have ended
  PRIMARY KEY (user_id, id)
);
CREATE INDEX reminder_due ON reminders (due_at);

-- Telegram's updates, written before Telegram is told that we have them.
CREATE TABLE updates (
  position    INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival; Telegram may restart its own numbers
  bot_id      INTEGER NOT NULL,
  update_id   INTEGER NOT NULL,
  payload     TEXT,                           -- the raw update; NULL once done, the id stays to know it again
  received_at TEXT NOT NULL,
  attempts    INTEGER NOT NULL DEFAULT 0,     -- times its work was begun
  readings    INTEGER NOT NULL DEFAULT 0,     -- times that work which an untrusted file decides was begun, and not ended
  sends       INTEGER NOT NULL DEFAULT 0,     -- times the sending of its answer was begun
  shown       TEXT NOT NULL DEFAULT '[]',     -- the messages that show something of its answer
  mode        TEXT,                           -- how memory stood when it was said, if not on: 'off' or 'incognito'
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

-- A move between stores that is under way; storage/bot_state/directory.py says what a start does about it.
CREATE TABLE moves (
  user_id    INTEGER PRIMARY KEY,
  source     TEXT NOT NULL,
  target     TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('copying', 'erasing')),
  started_at TEXT NOT NULL
);

-- Tokens spent by day, person and model.
CREATE TABLE usage (
  day               TEXT NOT NULL,            -- UTC, YYYY-MM-DD
  user_id           INTEGER NOT NULL,         -- the person who asked; for background work the owner of the memory
  model             TEXT NOT NULL DEFAULT '',
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cached_tokens     INTEGER NOT NULL DEFAULT 0, -- of the prompts'
  answers           INTEGER NOT NULL DEFAULT 0, -- calls that answered a person
  PRIMARY KEY (day, user_id, model)
) WITHOUT ROWID;
CREATE INDEX usage_user ON usage (user_id, day);

-- A deletion that has begun but has not reached every file yet; see storage/bot_state/deletion.py. Only in memory.db.
CREATE TABLE forgettings (
  id        INTEGER PRIMARY KEY,
  user_id   INTEGER NOT NULL,
  what      TEXT NOT NULL,                    -- JSON object: ids and dates, no text
  begun_at  TEXT NOT NULL,
  is_erased INTEGER NOT NULL DEFAULT 0        -- 1: the tables are done, files may still hold traces
);

-- Groups that Telegram gave another id; see renaming.py. Only in memory.db.
CREATE TABLE renamings (
  old_id  INTEGER PRIMARY KEY,
  new_id  INTEGER NOT NULL,
  at      TEXT NOT NULL,
  is_done INTEGER NOT NULL                    -- 0: the JSON store may not have followed yet
);

-- Who asked to be let in, and what an admin decided by a button; next to ALLOWED_USER_IDS. Only in memory.db.
CREATE TABLE people (
  person_id  INTEGER PRIMARY KEY,
  standing   TEXT NOT NULL,                   -- 'asked', 'allowed', 'refused', 'removed' or 'admin' (claimed the bot by its link)
  name       TEXT NOT NULL DEFAULT '',
  language   TEXT NOT NULL DEFAULT '',        -- the tag of their app's
  changed_at TEXT NOT NULL,
  changed_by INTEGER NOT NULL DEFAULT 0       -- the admin
);

-- Signs exports.
CREATE TABLE export_keys (
  id  INTEGER PRIMARY KEY CHECK (id = 1),     -- there is one
  key TEXT NOT NULL
);

-- What an admin writes to everybody, while it is under way. Only in memory.db.
CREATE TABLE broadcasts (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  admin_id   INTEGER NOT NULL,
  text       TEXT NOT NULL,
  created_at TEXT NOT NULL,
  receipt_id INTEGER,                         -- the message that says how far it is
  is_sending INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE broadcast_people (
  broadcast_id INTEGER NOT NULL,
  person_id    INTEGER NOT NULL,
  outcome      TEXT NOT NULL DEFAULT '',      -- '' (not sent yet), 'arrived', 'gone' or 'unknown'
  PRIMARY KEY (broadcast_id, person_id)
);

-- The words of every message; rowid = messages.seq. Python analyses them (text/analyzer.py), so any SQLite can open it.
-- Marks count as letters: without that, Hindi and Thai words would be torn apart.
CREATE VIRTUAL TABLE words USING fts5(terms, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'");
-- How many messages hold a term. Terms carry their scope, so each figure is of one scope only.
CREATE VIRTUAL TABLE word_counts USING fts5vocab(words, row);

-- What ranking reads of a message: the texts, several times as large, are not opened for it.
CREATE TABLE places (
  seq          INTEGER PRIMARY KEY,           -- messages.seq
  user_id      INTEGER NOT NULL,
  thread_id    INTEGER NOT NULL,
  message_id   INTEGER NOT NULL,              -- messages.id
  said_at      REAL NOT NULL,                 -- seconds since 1970
  is_person    INTEGER NOT NULL,              -- 0: the assistant's
  is_assistant INTEGER NOT NULL,
  speaker      TEXT NOT NULL DEFAULT '',
  length       INTEGER NOT NULL,              -- terms, repetitions counted
  size         INTEGER NOT NULL,              -- bytes of the content in UTF-8
  marks        BLOB NOT NULL                  -- 4 bytes for each term: terms.hashes
);
CREATE INDEX place_time ON places (user_id, thread_id, said_at, message_id);
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
