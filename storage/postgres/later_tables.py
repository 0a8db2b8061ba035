"""Tables that came after the first schema, each a step of migrations.py; the one of SQLite says what they hold."""

REMINDERS_SCHEMA = """
ALTER TABLE users ADD COLUMN next_reminder_id BIGINT NOT NULL DEFAULT 1;
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
ALTER TABLE reminders ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_owner ON reminders USING (current_setting('app.owner', true) IN (user_id::TEXT, '*'));
"""

PEOPLE_SCHEMA = """
CREATE TABLE people (
  person_id  BIGINT PRIMARY KEY,
  standing   TEXT COLLATE "C" NOT NULL,
  name       TEXT COLLATE "C" NOT NULL DEFAULT '',
  language   TEXT COLLATE "C" NOT NULL DEFAULT '',
  changed_at TEXT COLLATE "C" NOT NULL,
  changed_by BIGINT NOT NULL DEFAULT 0
);
"""
