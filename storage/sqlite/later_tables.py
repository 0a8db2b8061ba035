"""Tables and columns that came after the first schema and belong to no memory; each is a step of migrations.py."""

PEOPLE_SCHEMA = """
-- Who asked to be let in, and what an admin decided by a button; next to ALLOWED_USER_IDS. Only in memory.db.
CREATE TABLE people (
  person_id  INTEGER PRIMARY KEY,
  standing   TEXT NOT NULL,                   -- 'asked', 'allowed', 'refused' or 'removed'
  name       TEXT NOT NULL DEFAULT '',
  language   TEXT NOT NULL DEFAULT '',        -- the tag of their app's
  changed_at TEXT NOT NULL,
  changed_by INTEGER NOT NULL DEFAULT 0       -- the admin
);
"""

SHOWN_SCHEMA = """
ALTER TABLE updates ADD COLUMN shown TEXT NOT NULL DEFAULT '[]'; -- the messages that show something of its answer
"""

BROADCASTS_SCHEMA = """
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
"""
