"""The base class for the parts of a store, and functions that allocate ids or change all rows of an owner."""

from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from records.errors import StorageError
from records.owners import StorageType
from records.scopes import Scope
from storage.engine.protocol import Connection, OwnerDatabase, StatementRunner, Transaction
from storage.schema.portable_tables import ERASED, USERS
from storage.search import full_text, word_index

P = ParamSpec("P")
Result = TypeVar("Result")

# The "+" and the "|| ''" force SQLite to use the index on ids. It chose the index on times, to avoid sorting fifty
# messages, and scanned the whole scope.
MESSAGES_BY_IDS = """
SELECT * FROM messages
WHERE user_id = ? AND +thread_id = ? AND id IN (SELECT value FROM json_each(?)) ORDER BY created_at || '', id
"""


class OwnerTables(StatementRunner):
    """Base class for the parts of a store. `kind` is the `users.storage_type` of the store's owners."""

    def __init__(self, database: OwnerDatabase, kind: StorageType) -> None:
        super().__init__(database)
        self.kind = kind

    async def _read_in_snapshot(self, owner: int, query: Callable[[Connection], Result]) -> Result:
        async with self.database.open_reader(owner) as reader:
            return await reader.run_in_snapshot(query)


def make_reading_method(
    query: Callable[Concatenate[Connection, Scope, P], Result],
) -> Callable[Concatenate[Any, Scope, P], Coroutine[Any, Any, Result]]:
    """Return a method of OwnerTables that runs `query` for a scope, in one snapshot."""

    @wraps(query)
    async def run_query_in_snapshot(
        tables: OwnerTables, scope: Scope, /, *values: P.args, **options: P.kwargs
    ) -> Result:
        return await tables._read_in_snapshot(
            scope.owner, lambda connection: query(connection, scope, *values, **options)
        )

    return run_query_in_snapshot


def reserve_ids_and_get_first(
    connection: Connection, storage: StorageType, owner: int, counter: str, count: int = 1
) -> int:
    """Reserve `count` ids from a counter in `users`. Return the first. Raise StorageError for an unknown owner."""
    sql = f"UPDATE users SET {counter} = {counter} + ? WHERE user_id = ? AND storage_type = ? RETURNING {counter}"  # noqa: S608
    row = connection.execute(sql, (count, owner, storage)).fetchone()
    if row is None:
        raise StorageError("This memory is not kept here; turn it on first.")
    return int(row[0]) - count


def delete_owner_rows(connection: Connection, owner: int) -> None:
    """Delete an owner from the word index and from all tables except `users`."""
    word_index.unindex_owner(connection, owner)
    for table in ERASED:
        connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (owner,))  # noqa: S608


async def change_owner_id(tx: Transaction, old_id: int, new_id: int, tables: Sequence[str] = ()) -> None:
    """Change an owner's id in `tables` (by default, all tables of a SQLite file). Expire the owner's running jobs."""
    replacing = "" if tables else "OR REPLACE"
    columns = ", ".join(("storage_type", *(name for name in USERS.column_names if name != "user_id")))
    await tx.execute("UPDATE jobs SET state = 'expired' WHERE user_id = ? AND state = 'processing'", old_id)
    copy = f"INSERT {replacing} INTO users (user_id, {columns}) SELECT ?, {columns} FROM users WHERE user_id = ?"  # noqa: S608
    await tx.execute(copy, new_id, old_id)
    # Telegram numbers the messages of the new chat from 1, so an old number would name another message.
    await tx.execute("UPDATE accounts SET account = json_remove(account, '$.shown') WHERE user_id = ?", old_id)
    await tx.run(lambda connection: full_text.get_word_index(connection).rename_owner(connection, old_id, new_id))
    for table in tables or [row[0] for row in await tx.fetch_rows(_OF_OWNERS)]:
        forgotten = ", telegram_id = NULL" if table == "messages" else ""
        await tx.execute(f"UPDATE {replacing} {table} SET user_id = ?{forgotten} WHERE user_id = ?", new_id, old_id)  # noqa: S608
    await tx.execute("DELETE FROM users WHERE user_id = ?", old_id)


_OF_OWNERS = """
SELECT one.name FROM sqlite_master AS one JOIN pragma_table_info(one.name) AS part
WHERE one.type = 'table' AND one.sql NOT LIKE 'CREATE VIRTUAL %' AND one.name <> 'users' AND part.name = 'user_id'
"""
