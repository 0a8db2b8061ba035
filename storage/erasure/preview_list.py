"""The first rows that a request to forget would delete, shown to the owner before they confirm."""

import json
from collections.abc import Set

from records.forgetting import Forgetting, Listing
from storage.engine.protocol import Reader, Row
from storage.erasure.quotes import Taken
from storage.schema.rows import parse_message

MAX_LISTED = 30  # rows of each table that a preview lists
_AMONG = "id IN (SELECT value FROM json_each(?))"


async def list_first(reader: Reader, owner: int, what: Forgetting, going: Taken) -> Listing:
    """Return the first messages, facts and summaries to be deleted."""

    async def first(table: str, ids: Set[int]) -> list[Row]:
        every = f"SELECT * FROM {table} WHERE user_id = ?"  # noqa: S608
        if what.what == "everything":
            return await reader.rows(f"{every} ORDER BY id LIMIT ?", owner, MAX_LISTED)
        return await reader.rows(f"{every} AND {_AMONG} ORDER BY id", owner, json.dumps(sorted(ids)[:MAX_LISTED]))

    return Listing(
        messages=tuple(parse_message(row) for row in await first("messages", going.messages)),
        facts=tuple(str(row["text"]) for row in await first("facts", going.facts)),
        summaries=tuple(str(row["summary_text"]) for row in await first("summaries", going.summaries)),
    )
