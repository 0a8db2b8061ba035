-- The steps after postgres.sql, in order. Only append: never change, remove or reorder a released step.

-- Step 2: One-time dashboard links that were used. A row is deleted once its link has expired.
CREATE TABLE used_links (nonce TEXT COLLATE "C" PRIMARY KEY, expires_at TEXT COLLATE "C" NOT NULL);

-- Step 3: The title of the imported conversation, kept with its first message and searched with it.
ALTER TABLE messages ADD COLUMN title TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Step 4: How answers are formatted: '' (plain messages) or 'rich' (tables and formulas as rich messages).
ALTER TABLE users ADD COLUMN formatting TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Step 5: The quote from which a fact was learned, and when its owner last changed it by hand.
ALTER TABLE facts ADD COLUMN quote TEXT COLLATE "C" NOT NULL DEFAULT '',
ADD COLUMN is_uncertain BIGINT NOT NULL DEFAULT 0, ADD COLUMN decided_at TEXT COLLATE "C";
UPDATE facts SET decided_at = created_at WHERE is_pinned = 1 OR deleted_at IS NOT NULL OR origin = 'owner';

-- Step 6: A person's correction of the summary's text. Later summaries respect it.
ALTER TABLE summaries ADD COLUMN correction TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Step 7: An owner's decisions about erased facts; sqlite_steps.sql explains the columns.
CREATE TABLE decisions (
  id         BIGINT NOT NULL,
  user_id    BIGINT NOT NULL,
  key        TEXT COLLATE "C" NOT NULL,
  terms      TEXT COLLATE "C" NOT NULL,
  subject    TEXT COLLATE "C" NOT NULL DEFAULT '',
  source_ids TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  decided_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, id)
);
ALTER TABLE decisions ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_owner ON decisions USING (current_setting('app.owner', true) IN (user_id::TEXT, '*'));

-- Step 8: Prompt tokens that were written to the provider's cache, which has its own price.
ALTER TABLE usage ADD COLUMN written_tokens BIGINT NOT NULL DEFAULT 0;

-- Step 9: JSON array of hashes: the terms of the words from which the fact was learned.
ALTER TABLE decisions ADD COLUMN quote_terms TEXT COLLATE "C" NOT NULL DEFAULT '[]';

-- Step 10: The days on which a weekly reminder is due, and an index of the notes of tools; see sqlite_steps.sql.
ALTER TABLE reminders ADD COLUMN weekdays TEXT COLLATE "C" NOT NULL DEFAULT '[]';
CREATE INDEX message_note ON messages (user_id, thread_id, chunk_id, id) WHERE origin = 'tool';

-- Step 11: A fact that was edited by hand is observed on the day of its last edit.
UPDATE facts SET valid_from = COALESCE(valid_from, observed_at), observed_at = edits.last_at
FROM (
  SELECT e.user_id, e.superseded_by, MAX(COALESCE(e.decided_at, e.valid_to)) AS last_at FROM facts AS e
  WHERE e.origin = 'earlier' GROUP BY e.user_id, e.superseded_by
) AS edits
WHERE facts.user_id = edits.user_id AND facts.id = edits.superseded_by AND origin = 'owner'
AND observed_at < edits.last_at;
