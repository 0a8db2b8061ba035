-- The steps after sqlite.sql, in order. Only append: never change, remove or reorder a released step.

-- Step 2: One-time dashboard links that were used. A row is deleted once its link has expired. Only in memory.db.
CREATE TABLE used_links (
  nonce      TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
);

-- Step 3: The title of the imported conversation, kept with its first message and searched with it.
ALTER TABLE messages ADD COLUMN title TEXT NOT NULL DEFAULT '';

-- Step 4: How answers are formatted: '' (plain messages) or 'rich' (tables and formulas as rich messages).
ALTER TABLE users ADD COLUMN formatting TEXT NOT NULL DEFAULT '';

-- Step 5: The quote from which a fact was learned, and when its owner last changed it by hand.
ALTER TABLE facts ADD COLUMN quote TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN is_uncertain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN decided_at TEXT;
UPDATE facts SET decided_at = created_at WHERE is_pinned = 1 OR deleted_at IS NOT NULL OR origin = 'owner';

-- Step 6: A person's correction of the summary's text. Later summaries respect it.
ALTER TABLE summaries ADD COLUMN correction TEXT NOT NULL DEFAULT '';

-- Step 7: An owner's decisions about erased facts: the facts' terms as hashes, and their sources.
CREATE TABLE decisions (
  id         INTEGER NOT NULL,             -- the fact's
  user_id    INTEGER NOT NULL,
  key        TEXT NOT NULL,                -- of the hashes, one for each owner
  terms      TEXT NOT NULL,                -- JSON array of hashes: the terms of its topics
  subject    TEXT NOT NULL DEFAULT '',     -- hash of what it gave the single value of
  source_ids TEXT NOT NULL DEFAULT '[]',
  decided_at TEXT NOT NULL,
  PRIMARY KEY (user_id, id)
);

-- Step 8: Prompt tokens that were written to the provider's cache, which has its own price.
ALTER TABLE usage ADD COLUMN written_tokens INTEGER NOT NULL DEFAULT 0;

-- Step 9: JSON array of hashes: the terms of the words from which the fact was learned.
ALTER TABLE decisions ADD COLUMN quote_terms TEXT NOT NULL DEFAULT '[]';

-- Step 10: JSON array: the days on which a weekly reminder is due, 0 for Monday; [] = that of its time. And an index to
-- count the notes of tools, which nobody sees as messages.
ALTER TABLE reminders ADD COLUMN weekdays TEXT NOT NULL DEFAULT '[]';
CREATE INDEX message_note ON messages (user_id, thread_id, chunk_id, id) WHERE origin = 'tool';

-- Step 11: A fact that was edited by hand is observed on the day of its last edit.
UPDATE facts SET valid_from = COALESCE(valid_from, observed_at), observed_at = edits.last_at
FROM (
  SELECT e.user_id, e.superseded_by, MAX(COALESCE(e.decided_at, e.valid_to)) AS last_at FROM facts AS e
  WHERE e.origin = 'earlier' GROUP BY e.user_id, e.superseded_by
) AS edits
WHERE facts.user_id = edits.user_id AND facts.id = edits.superseded_by AND origin = 'owner'
AND observed_at < edits.last_at;
