"""Files of earlier versions of ours open, with everything in them and the defaults of what is new."""

import contextlib
import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import timedelta
from pathlib import Path

from records.facts import NewFact
from records.forgetting import Forgetting
from storage.files.database import Database, migrate
from storage.files.driver import connect
from storage.json.journal import Entry
from storage.json.store import JsonStore
from storage.search.protocol import Pool
from storage.search.terms import token
from storage.sqlite.migrations import MIGRATIONS
from storage.sqlite.store import SqliteStore
from tests.contract.conftest import ANNA, NOW, config, said
from text.analyzer import content_terms

SPOKEN = """
INSERT INTO users (user_id, storage_type, summary_every_n, memory_enabled, created_at, updated_at, next_message_id)
VALUES (?, 'sqlite', 7, 1, '2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00', 2);
"""
MESSAGE = """
INSERT INTO messages (id, user_id, role, content, created_at, is_active, turn_id)
VALUES (1, ?, 'user', 'Greenland', '2026-01-01T00:00:00+00:00', 1, 1)
"""

PROFILE = "INSERT INTO profiles (id, user_id, text, created_at) VALUES (?, ?, 'Anna.', ?)"
LIKES_TEA = NewFact(
    text="Likes tea.", kind="preference", subject="", source_ids=(), observed_at=NOW, valid_from=NOW, origin="owner"
)


async def pool_of(file: Path, spoken: Sequence[str], terms: Sequence[str]) -> Pool:
    """What may answer to these terms, in a file in which Anna said so; a new one is filled."""
    async with Database.open(file, migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        if await store.owner(ANNA.owner) is None:
            await store.put_owner(config(store, ANNA.owner))
            await store.append(ANNA, [said(one) for one in spoken])
        return await store.pool(ANNA, await store.matching(ANNA, terms, limit=9), reach=1)


async def test_a_memory_db_of_the_second_format(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    migrate(file, MIGRATIONS[:2])
    with contextlib.closing(connect(file)) as connection:
        connection.execute(SPOKEN, (ANNA.owner,))
        connection.execute(MESSAGE, (ANNA.owner,))
    async with Database.open(file, migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        config = await store.owner(ANNA.owner)
        [message] = await store.page(ANNA)
    assert config is not None
    assert (config.every_n, config.policy, config.auto_fold, config.incognito) == (7, "pyramid", True, False)
    assert (message.content, message.origin, message.edited_at) == ("Greenland", "", None)
    assert file.with_name(f"memory.db.before-format-{len(MIGRATIONS)}").exists()


async def test_a_profile_of_which_it_is_not_known_what_it_was_made_from(tmp_path: Path) -> None:
    """It goes with every fact that was changed before it was made."""
    file = tmp_path / "memory.db"
    migrate(file, MIGRATIONS[:9])
    with contextlib.closing(connect(file)) as connection:
        connection.execute(SPOKEN, (ANNA.owner,))
        for number, at in ((1, NOW - timedelta(days=1)), (2, NOW + timedelta(days=1))):
            connection.execute(PROFILE, (number, ANNA.owner, at.isoformat()))
        connection.execute("UPDATE users SET next_profile_id = 3")
    async with Database.open(file, migrations=MIGRATIONS) as database:
        store = SqliteStore(database)
        fact = await store.facts.add(ANNA.owner, LIKES_TEA, now=NOW)
        await store.facts.edit(ANNA.owner, fact.id, "Likes tulips.", now=NOW)
        earlier = await store.facts.before_edit(ANNA.owner, fact.id)
        assert earlier is not None
        await store.forgetting.forget(ANNA.owner, Forgetting(what="edits", ids=(earlier,)))
        assert [one.id for one in await store.profiles.versions(ANNA.owner)] == [1]


async def test_what_was_indexed_before_ranking_read_one_row_for_each_message(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    spoken = ["A walrus! The walrus sleeps in Tromsø.", "麒麟火锅 at 19:30", "…"]
    terms = ["walrus", "19:30", "火锅"]
    made = await pool_of(file, spoken, terms)
    with contextlib.closing(connect(file)) as connection:
        connection.execute("DROP INDEX place_time")
        for column in ("message_id", "is_assistant", "speaker", "size", "marks"):
            connection.execute(f"ALTER TABLE places DROP COLUMN {column}")
        connection.execute("ALTER TABLE updates DROP COLUMN mode")
        for column in ("readings", "shown"):
            connection.execute(f"ALTER TABLE updates DROP COLUMN {column}")
        for column in ("language", "model", "persona", "persona_text", "next_reminder_id", "spoken_answers"):
            connection.execute(f"ALTER TABLE users DROP COLUMN {column}")
        for table in ("reminders", "people", "broadcast_people", "broadcasts"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version=10")
    completed = await pool_of(file, spoken, terms)
    assert made.counts.tolist() == [[2, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert made.sizes.tolist() == [len(one.encode()) for one in spoken]
    for one in fields(Pool):
        assert str(getattr(completed, one.name)) == str(getattr(made, one.name))


async def test_messages_with_vowel_points_whose_words_were_cut_at_each(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    spoken = ["A walrus.", "معلّمتي تسكن في الرِّياض", "הַמּוֹרָה שלי"]
    terms = [*content_terms("walrus"), *content_terms("الرياض"), *content_terms("המורה")]

    made = await pool_of(file, spoken, terms)
    assert made.counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    with contextlib.closing(connect(file)) as connection:
        pieces = " ".join(token(ANNA, term) for term in ("الر", "ياض", "המ", "ור", "ה"))
        connection.execute("UPDATE words SET terms = ? WHERE rowid > 1", (pieces,))
        connection.execute("UPDATE places SET marks = x'' WHERE place > 1")
        for column in ("readings", "shown"):
            connection.execute(f"ALTER TABLE updates DROP COLUMN {column}")
        for column in ("language", "model", "persona", "persona_text", "next_reminder_id", "spoken_answers"):
            connection.execute(f"ALTER TABLE users DROP COLUMN {column}")
        for table in ("reminders", "people", "broadcast_people", "broadcasts"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version=12")
    indexed = await pool_of(file, spoken, terms)
    assert file.with_name(f"memory.db.before-format-{len(MIGRATIONS)}").exists()
    for one in fields(Pool):
        assert str(getattr(indexed, one.name)) == str(getattr(made, one.name))


async def test_a_memory_json_and_a_journal_of_the_first_format(tmp_path: Path) -> None:
    user = {
        "user_id": ANNA.owner,
        "storage_type": "json",
        "summary_every_n": 7,
        "memory_enabled": True,
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00",
        "next_message_id": 2,
        "next_summary_id": 1,
        "last_fence": 0,
    }
    message = {
        "id": 1,
        "user_id": ANNA.owner,
        "thread_id": 0,
        "role": "user",
        "content": "Greenland",
        "created_at": "2026-01-01T00:00:00+00:00",
        "is_active": True,
        "chunk_id": None,
        "turn_id": 1,
        "speaker": "",
        "source": None,
        "telegram_id": None,
    }
    written = {
        "keepsake": {"format": 1, "journal_seq": 0},
        "users": {str(ANNA.owner): user},
        "messages": {str(ANNA.owner): [message]},
    }
    (tmp_path / "memory.json").write_text(json.dumps(written), encoding="utf-8")
    later = Entry(seq=1, put={"messages": [{**message, "id": 2, "content": "Iceland"}]})
    (tmp_path / "memory.json.journal").write_bytes(later.line())
    async with JsonStore.open(tmp_path, clock=lambda: NOW) as store:
        config = await store.owner(ANNA.owner)
        messages = await store.page(ANNA)
        assert not store.reports
    assert config is not None
    assert (config.every_n, config.policy) == (7, "pyramid")
    assert [one.content for one in messages] == ["Greenland", "Iceland"]
    assert (tmp_path / "memory.json.before-format-2").exists()
    assert json.loads((tmp_path / "memory.json").read_text(encoding="utf-8"))["keepsake"]["format"] == 2
