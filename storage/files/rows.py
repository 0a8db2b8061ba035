"""Rows of SQLite → the values of records.py, and back. Does not know files, transactions or what the rows are for."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from records.errors import StorageError
from records.facts import Fact, FactKind, Profile
from records.messages import Message
from records.owners import OwnerConfig, Policy, StorageType
from records.scopes import Scope
from records.summaries import FoldFailure, FoldReason, Summary
from storage.files.tables import BY_NAME, Portable


def mapping(row: object) -> Mapping[str, object]:
    """A row of SQLite as the Mapping that it is in all but name."""
    return cast(Mapping[str, object], row)


def text_of(moment: datetime) -> str:
    """A time as it is stored. Raises ValueError for one without a zone."""
    if moment.tzinfo is None:
        raise ValueError("a datetime without a zone")
    return moment.astimezone(UTC).isoformat()


def moment_of(text: object) -> datetime:
    moment = datetime.fromisoformat(text if isinstance(text, str) else str(text))
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def optional_moment(text: object) -> datetime | None:
    return None if text is None else moment_of(text)


def message_of(row: Mapping[str, Any]) -> Message:
    return Message(
        id=row["id"],
        scope=_scope(row["user_id"], row["thread_id"]),
        role=row["role"],
        content=row["content"],
        created_at=moment_of(row["created_at"]),
        turn=row["turn_id"],
        speaker=row["speaker"],
        source=row["source"],
        telegram_id=row["telegram_id"],
        chunk_id=row["chunk_id"],
        origin=row["origin"],
        edited_at=optional_moment(row["edited_at"]),
    )


def row_of_message(message: Message) -> Portable:
    return {
        "id": message.id,
        "user_id": message.scope.owner,
        "thread_id": message.scope.thread,
        "role": message.role,
        "content": message.content,
        "created_at": text_of(message.created_at),
        "is_active": message.is_active,
        "chunk_id": message.chunk_id,
        "turn_id": message.turn,
        "speaker": message.speaker,
        "source": message.source,
        "telegram_id": message.telegram_id,
        "origin": message.origin,
        "edited_at": None if message.edited_at is None else text_of(message.edited_at),
    }


@lru_cache(maxsize=64)
def _scope(owner: int, thread: int) -> Scope:
    return Scope(owner=owner, thread=thread)


def summary_of(row: Mapping[str, object]) -> Summary:
    return Summary(
        id=cast(int, row["id"]),
        scope=Scope(owner=cast(int, row["user_id"]), thread=cast(int, row["thread_id"])),
        level=cast(int, row["level"]),
        text=cast(str, row["summary_text"]),
        created_at=moment_of(row["created_at"]),
        source_chunk_ids=ids_of(row["source_chunk_ids"]),
        source_ids=ids_of(row["source_ids"]),
        is_active=bool(row["is_active"]),
        first_id=cast(int, row["first_id"]),
        last_id=cast(int, row["last_id"]),
        first_at=moment_of(row["first_at"]),
        last_at=moment_of(row["last_at"]),
        message_count=cast(int, row["message_count"]),
        tokens_in=cast(int, row["tokens_in"]),
        tokens_out=cast(int, row["tokens_out"]),
        milliseconds=cast(int, row["milliseconds"]),
        model=cast(str, row["model"]),
        prompt_version=cast(str, row["prompt_version"]),
        base_id=cast("int | None", row["base_id"]),
        policy=cast(Policy, row["policy"]),
        reason=cast(str, row["reason"]),
        score=cast("float | None", row["score"]),
        details=json.loads(str(row["details"])),
        status=cast(str, row["status"]),
    )


def fact_of(row: Mapping[str, object]) -> Fact:
    observed_at = moment_of(row["observed_at"])
    return Fact(
        id=cast(int, row["id"]),
        owner=cast(int, row["user_id"]),
        text=cast(str, row["text"]),
        kind=cast(FactKind, row["kind"]),
        subject=cast(str, row["subject"]),
        source_ids=ids_of(row["source_ids"]),
        observed_at=observed_at,
        valid_from=optional_moment(row["valid_from"]) or observed_at,
        created_at=moment_of(row["created_at"]),
        valid_to=optional_moment(row["valid_to"]),
        superseded_by=cast("int | None", row["superseded_by"]),
        importance=cast(float, row["importance"]),
        tags=tuple(json.loads(str(row["tags"]))),
        is_pinned=bool(row["is_pinned"]),
        deleted_at=optional_moment(row["deleted_at"]),
        origin=cast(str, row["origin"]),
    )


def profile_of(row: Mapping[str, object]) -> Profile:
    return Profile(
        id=cast(int, row["id"]),
        owner=cast(int, row["user_id"]),
        text=cast(str, row["text"]),
        created_at=moment_of(row["created_at"]),
        model=cast(str, row["model"]),
        last_summary_id=cast(int, row["last_summary_id"]),
        tokens_in=cast(int, row["tokens_in"]),
        tokens_out=cast(int, row["tokens_out"]),
    )


def runs(numbers: Sequence[int] | npt.NDArray[np.int64], reach: int = 0) -> str:
    """The stretches of numbers at most `reach` from one of these, ascending, none of which touches the next: a JSON
    array of [first, last]. SQLite walks along an index where it would else search it for each number.
    """
    if not len(numbers):
        return "[]"
    known = np.unique(numbers)
    borders = np.flatnonzero(np.diff(known) > 2 * reach + 1)
    firsts, lasts = known[[0, *(borders + 1)]] - reach, known[[*borders, -1]] + reach
    return json.dumps(np.stack([firsts, lasts], axis=1).tolist())


def ids_of(text: object) -> tuple[int, ...]:
    return tuple(json.loads(str(text)))


def config_of(row: Mapping[str, object]) -> OwnerConfig:
    return OwnerConfig(
        owner=cast(int, row["user_id"]),
        storage=StorageType(cast(str, row["storage_type"])),
        every_n=cast(int, row["summary_every_n"]),
        enabled=bool(row["memory_enabled"]),
        created_at=moment_of(row["created_at"]),
        updated_at=moment_of(row["updated_at"]),
        policy=cast(Policy, row["policy"]),
        auto_fold=bool(row["auto_fold"]),
        timezone=cast(str, row["timezone"]),
        fold_instructions=cast(str, row["fold_instructions"]),
        incognito=bool(row["incognito"]),
    )


def failure_of(row: Mapping[str, object]) -> FoldFailure:
    return FoldFailure(
        at=moment_of(row["at"]),
        reason=cast(FoldReason, row["reason"]),
        error=cast(str, row["error"]),
        attempts=cast(int, row["attempts"]),
        told=bool(row["told"]),
    )


def grouped(rows: Iterable[Mapping[str, object]], owner: int) -> dict[Literal["users"] | str, list[Portable]]:
    """Portable rows with a "table" key, by table. Raises StorageError for rows that are not this owner's."""
    by_table: dict[str, list[Portable]] = {}
    for row in rows:
        name = str(row.get("table"))
        if name not in BY_NAME or row.get("user_id") != owner:
            raise StorageError("What was to be loaded is not this owner's memory; nothing was changed.")
        by_table.setdefault(name, []).append({key: value for key, value in row.items() if key != "table"})
    return by_table
