"""The schema of memory.db (and of index.db), as one ordered, append-only list of migrations.

Each is committed together with its number (PRAGMA user_version); an existing file is copied aside before.
The CREATE statements are the schema's documentation. Does not know queries.
"""

from storage.files.database import Migration
from storage.files.driver import sqlite3
from storage.files.rows import moment_of, text_of
from storage.search import word_index
from storage.sqlite import original_files
from storage.sqlite.initial_schema import FIRST_SCHEMA
from storage.sqlite.later_tables import BROADCASTS_SCHEMA, PEOPLE_SCHEMA, SHOWN_SCHEMA
from text import analyzer


def first_schema(connection: sqlite3.Connection) -> None:
    """Our tables; where the file is the original design's, its rows are taken over and repaired."""
    inherited = original_files.put_aside(connection)
    script(FIRST_SCHEMA)(connection)
    if inherited:
        original_files.take_over(connection)


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

CHOICES_SCHEMA = """
-- An owner's further settings and counters.
ALTER TABLE users ADD COLUMN policy TEXT NOT NULL DEFAULT 'pyramid';
ALTER TABLE users ADD COLUMN auto_fold INTEGER NOT NULL DEFAULT 1;     -- 0: summaries only when asked for
ALTER TABLE users ADD COLUMN timezone TEXT NOT NULL DEFAULT '';        -- IANA name; '' = UTC
ALTER TABLE users ADD COLUMN fold_instructions TEXT NOT NULL DEFAULT ''; -- what summaries are to follow as well
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
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL,
  learned_id INTEGER NOT NULL DEFAULT 0,      -- facts were extracted up to this message
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;
"""

FORGETTINGS_SCHEMA = """
-- A deletion that has begun but has not reached every file yet; see erasure.py. Only in memory.db.
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

RENAMINGS_SCHEMA = """
-- Groups that Telegram gave another id; see renaming.py. Only in memory.db.
CREATE TABLE renamings (
  old_id  INTEGER PRIMARY KEY,
  new_id  INTEGER NOT NULL,
  at      TEXT NOT NULL,
  is_done INTEGER NOT NULL                    -- 0: the JSON store may not have followed yet
);
"""

REBUILD_PARTS_SCHEMA = """
-- What a rebuild has made so far, so that an interrupted one continues; see background/rebuild.py. Never read for
-- anything else, and deleted with the first thing that its owner forgets.
CREATE TABLE rebuild_parts (
  user_id   INTEGER NOT NULL,
  thread_id INTEGER NOT NULL,
  digest    TEXT NOT NULL,                    -- of what it was made from, word by word
  made      TEXT NOT NULL,                    -- JSON object: the summary's text, and what making it cost
  PRIMARY KEY (user_id, thread_id, digest)
);
"""

HISTORY_EXTRACTION_SCHEMA = """
-- Imported history that facts are learned from on request (history extraction). NULL: it never was.
ALTER TABLE progress ADD COLUMN past_from INTEGER;    -- from behind this message
ALTER TABLE progress ADD COLUMN past_id INTEGER;      -- learned up to this one
ALTER TABLE progress ADD COLUMN past_until INTEGER;   -- to be learned up to this one
"""

LEARNED_STRETCHES_SCHEMA = """
-- What was learned from before past_from was set: JSON list of [behind this message, up to this one].
ALTER TABLE progress ADD COLUMN past_learned TEXT NOT NULL DEFAULT '[]';
"""

BORROWED_WORDS_SCHEMA = """
-- The known fact that a learned one is about, and whose words it may repeat; NULL: none, or not known.
ALTER TABLE facts ADD COLUMN known_id INTEGER;
-- What else a version of the profile was made from, so that it is deleted with exactly that.
ALTER TABLE profiles ADD COLUMN base_id INTEGER;                          -- the version before it
ALTER TABLE profiles ADD COLUMN fact_ids TEXT NOT NULL DEFAULT 'null';    -- JSON list; null: not known
"""

RANKED_SCHEMA = """
-- What ranking reads of a message stands in one row: the words of every message and the messages themselves, which are
-- several times as large, are not opened for it.
ALTER TABLE places ADD COLUMN message_id INTEGER NOT NULL DEFAULT 0;     -- messages.id
ALTER TABLE places ADD COLUMN is_assistant INTEGER NOT NULL DEFAULT 0;
ALTER TABLE places ADD COLUMN speaker TEXT NOT NULL DEFAULT '';
ALTER TABLE places ADD COLUMN size INTEGER NOT NULL DEFAULT 0;           -- bytes of the content in UTF-8
ALTER TABLE places ADD COLUMN marks BLOB NOT NULL DEFAULT x'';           -- 4 bytes for each term: word_index.mark
"""


def ranked(connection: sqlite3.Connection) -> None:
    """What ranking reads of a message, in one row."""
    script(RANKED_SCHEMA)(connection)
    word_index.complete(connection)


MODES_SCHEMA = """
-- How memory stood when a message was said, where it was not on: 'off' or 'incognito'.
ALTER TABLE updates ADD COLUMN mode TEXT;
"""


def pointed(connection: sqlite3.Connection) -> None:
    """Index messages with vowel points again: their words had been cut at each point."""
    seq = 0
    while rows := connection.execute("SELECT * FROM messages WHERE seq > ? ORDER BY seq LIMIT 500", (seq,)).fetchall():
        for row in rows:
            if analyzer.is_pointed(row["content"]) or analyzer.is_pointed(row["speaker"]):
                word_index.reindex(connection, row["seq"], row)
        seq = rows[-1]["seq"]


ORDER_SCHEMA = """
-- The order of a scope is time: created_at, then id. An id only says which message it is: imported history comes in
-- any order. All times are of one form, so that their texts sort as they do.
DROP INDEX IF EXISTS message_scope;
CREATE INDEX IF NOT EXISTS message_time ON messages (user_id, thread_id, created_at, id);
DROP INDEX IF EXISTS message_active;
CREATE INDEX message_active ON messages (user_id, thread_id, created_at, id) WHERE is_active = 1;
-- The same for what ranking reads; `place` and `session` are no longer read.
DROP INDEX IF EXISTS place_scope;
CREATE INDEX IF NOT EXISTS place_time ON places (user_id, thread_id, said_at, message_id);
"""


def order_is_time(connection: sqlite3.Connection) -> None:
    """Messages are ordered by when they were said, and then by id."""
    found = connection.execute("SELECT seq, created_at FROM messages WHERE created_at NOT GLOB '????-??-??T*+00:00'")
    changed = [(text_of(moment_of(row["created_at"])), row["seq"]) for row in found.fetchall()]
    connection.executemany("UPDATE messages SET created_at = ? WHERE seq = ?", changed)
    script(ORDER_SCHEMA)(connection)


RESTORES_SCHEMA = """
-- A restore of an owner's own export that is under way, so that one that ended with its process goes on as a restore.
-- Gone when it is whole, and with the first thing that its owner forgets.
CREATE TABLE IF NOT EXISTS restores (
  user_id INTEGER PRIMARY KEY,
  digest  TEXT NOT NULL                       -- of the export
);
"""


RESTORED_PARTS_SCHEMA = """
-- A restore may be of several files, in any order. Row 0 of an owner says how far it is; the others hold rows of the
-- export, as JSON, that can only be put once all of its files are in. Like every table of an owner's, it moves along.
DROP TABLE restores;
CREATE TABLE restores (
  user_id  INTEGER NOT NULL,
  id       INTEGER NOT NULL,
  export   TEXT NOT NULL,                     -- which export
  begun_at TEXT NOT NULL,
  held     TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
"""


READINGS_SCHEMA = """
-- Times that work which an untrusted file decides was begun for an update, by runs that did not end it in order.
ALTER TABLE updates ADD COLUMN readings INTEGER NOT NULL DEFAULT 0;
"""


LANGUAGE_SCHEMA = """
-- The code of the language in which an owner wants to read the bot's own words; '' = none was chosen.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
"""


CONVERSATIONS_SCHEMA = """
-- The conversations of a place (a chat or one of its topics), once there was more than one. thread_id is the scope's.
CREATE TABLE IF NOT EXISTS conversations (
  user_id    INTEGER NOT NULL,
  thread_id  INTEGER NOT NULL,
  place      INTEGER NOT NULL DEFAULT 0,      -- the thread in Telegram
  title      TEXT NOT NULL DEFAULT '',        -- '' = none yet
  is_named   INTEGER NOT NULL DEFAULT 0,      -- its owner gave the title
  created_at TEXT NOT NULL,
  opened_at  TEXT NOT NULL,                   -- the latest one of a place is where the talk goes on
  PRIMARY KEY (user_id, thread_id)
) WITHOUT ROWID;
"""


USAGE_OF_MODELS_SCHEMA = """
-- What was spent is known by model, and is counted whether there is a budget or not.
CREATE TABLE used (
  day               TEXT NOT NULL,            -- UTC, YYYY-MM-DD
  user_id           INTEGER NOT NULL,         -- the person who asked; for background work the owner of the memory
  model             TEXT NOT NULL DEFAULT '',
  prompt_tokens     INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  cached_tokens     INTEGER NOT NULL DEFAULT 0, -- of the prompts'
  answers           INTEGER NOT NULL DEFAULT 0, -- calls that answered a person
  PRIMARY KEY (day, user_id, model)
) WITHOUT ROWID;
INSERT INTO used (day, user_id, prompt_tokens, completion_tokens)
SELECT day, user_id, prompt_tokens, completion_tokens FROM usage;
DROP TABLE usage;
ALTER TABLE used RENAME TO usage;
CREATE INDEX usage_user ON usage (user_id, day);
"""


PERSONA_SCHEMA = """
-- Which model answers an owner ('' = the usual one), and in what manner: one of the given ones, or 'own'.
ALTER TABLE users ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN persona TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN persona_text TEXT NOT NULL DEFAULT '';
"""


REMINDERS_SCHEMA = """
ALTER TABLE users ADD COLUMN next_reminder_id INTEGER NOT NULL DEFAULT 1;
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
"""


SPOKEN_SCHEMA = """
-- Which answers are spoken without being asked for: '' (none), 'voice' (those to voice messages) or 'always'.
ALTER TABLE users ADD COLUMN spoken_answers TEXT NOT NULL DEFAULT '';
"""


def script(text: str) -> Migration:
    """A step that runs the statements of a script, each inside our transaction (executescript would commit first)."""

    def run(connection: sqlite3.Connection) -> None:
        pending = ""
        for line in text.splitlines(keepends=True):
            pending += line
            if sqlite3.complete_statement(pending):
                connection.execute(pending)
                pending = ""

    return run


MIGRATIONS: list[Migration] = [
    first_schema,
    script(USAGE_SCHEMA),
    script(CHOICES_SCHEMA),
    script(FORGETTINGS_SCHEMA),
    script(SIZES_SCHEMA),
    script(RENAMINGS_SCHEMA),
    script(REBUILD_PARTS_SCHEMA),
    script(HISTORY_EXTRACTION_SCHEMA),
    script(LEARNED_STRETCHES_SCHEMA),
    script(BORROWED_WORDS_SCHEMA),
    ranked,
    script(MODES_SCHEMA),
    pointed,
    order_is_time,
    script(RESTORES_SCHEMA),
    script(READINGS_SCHEMA),
    script(LANGUAGE_SCHEMA),
    script(RESTORED_PARTS_SCHEMA),
    script(CONVERSATIONS_SCHEMA),
    script(USAGE_OF_MODELS_SCHEMA),
    script(PERSONA_SCHEMA),
    script(REMINDERS_SCHEMA),
    script(PEOPLE_SCHEMA),
    script(SHOWN_SCHEMA),
    script(BROADCASTS_SCHEMA),
    script(SPOKEN_SCHEMA),
]
"""In order. Append steps; never change, remove or reorder one that was released."""
