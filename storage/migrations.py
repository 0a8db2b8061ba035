"""The schema of memory.db (and of index.db), as one ordered, append-only list of migrations.

Each is committed together with its number (PRAGMA user_version); an existing file is copied aside before.
The CREATE statements are the schema's documentation. Does not know queries.
"""

from collections.abc import Callable

from storage import original, word_index
from storage.driver import sqlite3

Migration = Callable[[sqlite3.Connection], None]
MIGRATIONS: list[Migration] = []


def migration(step: Migration) -> Migration:
    """Append a step. Never change, remove or reorder one that was released."""
    MIGRATIONS.append(step)
    return step


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

-- A move between stores that is under way; see directory.py for what a start makes of it.
CREATE TABLE moves (
  user_id    INTEGER PRIMARY KEY,
  source     TEXT NOT NULL,
  target     TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('copying', 'erasing')),
  started_at TEXT NOT NULL
);

-- The words of every message, analysed in Python (words.py), so that any SQLite opens the file; rowid = messages.seq.
-- Marks count as letters: without that, Hindi and Thai words would be torn apart.
CREATE VIRTUAL TABLE words USING fts5(terms, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'");
-- In how many messages a term stands. Terms carry their scope, so each figure is one scope's own.
CREATE VIRTUAL TABLE word_counts USING fts5vocab(words, row);

-- Where a message stands among its scope's, for ranking: neighbours answer to each other.
CREATE TABLE places (
  seq       INTEGER PRIMARY KEY,              -- messages.seq
  user_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  place     INTEGER NOT NULL,                 -- 1, 2, 3 … in the order of ids
  session   INTEGER NOT NULL,                 -- grows by one after a long silence
  said_at   REAL NOT NULL,                    -- seconds since 1970
  is_person INTEGER NOT NULL,                 -- 0: the assistant's
  length    INTEGER NOT NULL                  -- terms, repetitions counted
);
CREATE UNIQUE INDEX place_scope ON places (user_id, thread_id, place);
-- The lengths of a scope's messages in sum, kept by the triggers, for BM25 and for how long-winded its assistant is.
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

-- Meaning. Each message's vectors by the model that is in use; those of a former model stay until they are replaced.
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


@migration
def first_schema(connection: sqlite3.Connection) -> None:
    """Our tables; where the file is the original design's, its rows are taken over and repaired."""
    inherited = original.put_aside(connection)
    for statement in statements(FIRST_SCHEMA):
        connection.execute(statement)
    if inherited:
        original.take_over(connection)


USAGE_SCHEMA = """
-- Tokens spent, for the daily budgets; written only where a budget is set.
CREATE TABLE usage (
  day               TEXT NOT NULL,            -- UTC, YYYY-MM-DD
  user_id           INTEGER NOT NULL,         -- the person who asked; for background work the owner of the memory
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  PRIMARY KEY (day, user_id)
) WITHOUT ROWID;
"""


@migration
def usage(connection: sqlite3.Connection) -> None:
    """The ledger of the daily token budgets."""
    for statement in statements(USAGE_SCHEMA):
        connection.execute(statement)


CHOICES_SCHEMA = """
-- An owner's further choices, and the counters of what is numbered for them.
ALTER TABLE users ADD COLUMN policy TEXT NOT NULL DEFAULT 'pyramid';
ALTER TABLE users ADD COLUMN auto_fold INTEGER NOT NULL DEFAULT 1;     -- 0: summaries only when asked for
ALTER TABLE users ADD COLUMN timezone TEXT NOT NULL DEFAULT '';        -- IANA name; '' = UTC
ALTER TABLE users ADD COLUMN fold_instructions TEXT NOT NULL DEFAULT ''; -- what summaries are to heed besides
ALTER TABLE users ADD COLUMN incognito INTEGER NOT NULL DEFAULT 0;     -- 1: memory is read, nothing is written
ALTER TABLE users ADD COLUMN next_fact_id INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN next_profile_id INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN next_version_id INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN tokens_saved INTEGER NOT NULL DEFAULT 0;  -- against sending the whole history each time

-- '' (said here), 'forwarded', 'tool' (a tool's output) or 'imported'.
ALTER TABLE messages ADD COLUMN origin TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN edited_at TEXT;

ALTER TABLE summaries ADD COLUMN policy TEXT NOT NULL DEFAULT 'pyramid';
ALTER TABLE summaries ADD COLUMN reason TEXT NOT NULL DEFAULT '';      -- why it was made: 'threshold', 'now' …
ALTER TABLE summaries ADD COLUMN score REAL;                           -- quality, 0 to 1; NULL = not measured
ALTER TABLE summaries ADD COLUMN details TEXT NOT NULL DEFAULT '{}';   -- JSON object: the parts of the score
ALTER TABLE summaries ADD COLUMN status TEXT NOT NULL DEFAULT 'completed';

-- What is known of an owner: one sentence each.
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

-- What each of the newest answers was made from: by ids and figures, never by text.
CREATE TABLE accounts (
  id         INTEGER NOT NULL,                -- the answer's message id
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL DEFAULT 0,
  account    TEXT NOT NULL,                   -- JSON object
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);

-- How far what is done beside the talk has got in a scope.
CREATE TABLE progress (
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL,
  learned_id INTEGER NOT NULL DEFAULT 0,      -- facts were extracted up to this message
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;
"""


@migration
def choices_and_knowledge(connection: sqlite3.Connection) -> None:
    """What an owner may choose besides, and what is known of them: facts, profile, versions, accounts."""
    for statement in statements(CHOICES_SCHEMA):
        connection.execute(statement)


FORGETTINGS_SCHEMA = """
-- A forgetting that has begun and is not in every file yet; see erasing.py. In memory.db alone.
CREATE TABLE forgettings (
  id        INTEGER PRIMARY KEY,
  user_id   INTEGER NOT NULL,
  what      TEXT NOT NULL,                    -- JSON object: ids and dates, no text
  begun_at  TEXT NOT NULL,
  is_erased INTEGER NOT NULL DEFAULT 0        -- 1: the tables are done, files may still hold traces
);
-- The message that an edit or a reply names.
CREATE INDEX message_telegram ON messages (user_id, thread_id, telegram_id) WHERE telegram_id IS NOT NULL;
"""


@migration
def forgettings(connection: sqlite3.Connection) -> None:
    """What a start finishes where a process died while it forgot."""
    for statement in statements(FORGETTINGS_SCHEMA):
        connection.execute(statement)


SIZES_SCHEMA = """
-- How long a scope's messages are in all, so that what the whole history would cost is known at once.
ALTER TABLE scopes ADD COLUMN characters INTEGER NOT NULL DEFAULT 0;
UPDATE scopes SET characters = (
  SELECT COALESCE(SUM(LENGTH(content)), 0) FROM messages
  WHERE messages.user_id = scopes.user_id AND messages.thread_id = scopes.thread_id
);
DROP TRIGGER message_counted;
CREATE TRIGGER message_counted AFTER INSERT ON messages BEGIN
  INSERT INTO scopes (user_id, thread_id, total, archived, characters)
  VALUES (new.user_id, new.thread_id, 1, 1 - new.is_active, LENGTH(new.content))
  ON CONFLICT DO UPDATE SET
    total = total + 1, archived = archived + excluded.archived, characters = characters + excluded.characters;
END;
DROP TRIGGER message_uncounted;
CREATE TRIGGER message_uncounted AFTER DELETE ON messages BEGIN
  UPDATE scopes SET
    total = total - 1, archived = archived - 1 + old.is_active, characters = characters - LENGTH(old.content)
  WHERE user_id = old.user_id AND thread_id = old.thread_id;
END;
CREATE TRIGGER message_resized AFTER UPDATE OF content ON messages WHEN old.content <> new.content BEGIN
  UPDATE scopes SET characters = characters - LENGTH(old.content) + LENGTH(new.content)
  WHERE user_id = new.user_id AND thread_id = new.thread_id;
END;
"""


@migration
def sizes(connection: sqlite3.Connection) -> None:
    """How long a scope's messages are in all."""
    for statement in statements(SIZES_SCHEMA):
        connection.execute(statement)


RENAMINGS_SCHEMA = """
-- Groups that Telegram gave another id; see renaming.py. In memory.db alone.
CREATE TABLE renamings (
  old_id  INTEGER PRIMARY KEY,
  new_id  INTEGER NOT NULL,
  at      TEXT NOT NULL,
  is_done INTEGER NOT NULL                    -- 0: the JSON store may not have followed yet
);
"""


@migration
def renamings(connection: sqlite3.Connection) -> None:
    """Under which id the memory of a group goes on that became a supergroup."""
    for statement in statements(RENAMINGS_SCHEMA):
        connection.execute(statement)


REBUILD_PARTS_SCHEMA = """
-- What a rebuild under way has made so far, so that one that ends with its process goes on; see rebuilding.py. Never
-- read for anything else, and gone with the first thing that its owner forgets.
CREATE TABLE rebuild_parts (
  user_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  digest    TEXT NOT NULL,                    -- of what it was made from, word by word
  made      TEXT NOT NULL,                    -- JSON object: the summary's text, and what making it cost
  PRIMARY KEY (user_id, thread_id, digest)
);
"""


@migration
def rebuild_parts(connection: sqlite3.Connection) -> None:
    """What is kept of a rebuild that is not whole yet."""
    for statement in statements(REBUILD_PARTS_SCHEMA):
        connection.execute(statement)


STUDIES_SCHEMA = """
-- Imported history that facts are learned from because its owner wants it. NULL: none of it ever was.
ALTER TABLE progress ADD COLUMN past_from INTEGER;    -- from behind this message
ALTER TABLE progress ADD COLUMN past_id INTEGER;      -- learned up to this one
ALTER TABLE progress ADD COLUMN past_until INTEGER;   -- to be learned up to this one
"""


@migration
def studies(connection: sqlite3.Connection) -> None:
    """How far imported history was learned from."""
    for statement in statements(STUDIES_SCHEMA):
        connection.execute(statement)


LEARNED_STRETCHES_SCHEMA = """
-- What was learned from before past_from was set: JSON list of [behind this message, up to this one].
ALTER TABLE progress ADD COLUMN past_learned TEXT NOT NULL DEFAULT '[]';
"""


@migration
def learned_stretches(connection: sqlite3.Connection) -> None:
    """Which imported history was learned from earlier."""
    for statement in statements(LEARNED_STRETCHES_SCHEMA):
        connection.execute(statement)


BORROWED_WORDS_SCHEMA = """
-- The known fact that a learned one is about, and whose words it may repeat; NULL: none, or not known.
ALTER TABLE facts ADD COLUMN known_id INTEGER;
-- What a version of the profile was made from beside summaries, so that it goes with that and with nothing else.
ALTER TABLE profiles ADD COLUMN base_id INTEGER;                          -- the version before it
ALTER TABLE profiles ADD COLUMN fact_ids TEXT NOT NULL DEFAULT 'null';    -- JSON list; null: not known
"""


@migration
def borrowed_words(connection: sqlite3.Connection) -> None:
    """Whose words facts and the profile's versions may repeat."""
    for statement in statements(BORROWED_WORDS_SCHEMA):
        connection.execute(statement)


RANKED_SCHEMA = """
-- What ranking reads of a message stands in one row: the words of every message and the messages themselves, which are
-- several times as large, are not opened for it.
ALTER TABLE places ADD COLUMN message_id INTEGER NOT NULL DEFAULT 0;     -- messages.id
ALTER TABLE places ADD COLUMN is_assistant INTEGER NOT NULL DEFAULT 0;
ALTER TABLE places ADD COLUMN speaker TEXT NOT NULL DEFAULT '';
ALTER TABLE places ADD COLUMN size INTEGER NOT NULL DEFAULT 0;           -- bytes of the content in UTF-8
ALTER TABLE places ADD COLUMN marks BLOB NOT NULL DEFAULT x'';           -- 4 bytes for each term: word_index.mark
"""


@migration
def ranked(connection: sqlite3.Connection) -> None:
    """What ranking reads of a message, in one row."""
    for statement in statements(RANKED_SCHEMA):
        connection.execute(statement)
    word_index.complete(connection)


def statements(script: str) -> list[str]:
    """The statements of a script, so that each runs inside our transaction (executescript would commit first)."""
    found: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found
