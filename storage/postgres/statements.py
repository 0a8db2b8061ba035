"""Statements on a connection: prepared once, their values and rows in PostgreSQL's binary form.

psycopg's cursors do the same for every type there is, and take the processor four times as long. PostgreSQL's texts
hold no NUL, which a message may have: it is stored as U+FDD0 and a 0, and U+FDD0 itself, which Unicode keeps free for
such uses, doubled. Does not know tables, nor what statements say.
"""

import struct
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import psycopg
from attrs import define, field
from psycopg import pq
from psycopg.adapt import Transformer
from psycopg.types.numeric import NumericBinaryLoader

from storage.postgres.dialect import translated

PREPARED = 500
"""Statements of a connection that are known; the one that was not used for longest makes room."""

FEW = 5
"""Of more rows psycopg, which is in C, makes values more quickly."""
STALE = (psycopg.errors.FeatureNotSupported, psycopg.errors.InvalidSqlStatementName)
"""What is said of a prepared statement that a change of a table has voided, or that a pooler's other server lacks."""

_ESCAPE = "\ufdd0"
_UNTYPED, _BOOL, _BYTEA, _INT8, _INT2, _INT4, _TEXT, _FLOAT8, _NUMERIC = 0, 16, 17, 20, 21, 23, 25, 701, 1700
"""Numbers of types, as the server's catalogue has them (pg_type.dat); a value without one is of what its place says."""
_DONE = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)

Encoder = tuple[int, Callable[[Any], bytes | None]]
Loader = Callable[[bytes], Any]
Rows = list[tuple[Any, ...]]


class HalfVector(bytes):
    """A vector in the words of pgvector's type `halfvec`; pgvector.py makes it."""


def escaped(text: str) -> str:
    """A text as it is stored."""
    if "\0" in text or _ESCAPE in text:
        return text.replace(_ESCAPE, _ESCAPE + _ESCAPE).replace("\0", _ESCAPE + "0")
    return text


def unescaped(raw: bytes) -> str:
    """A text as it was given."""
    text = raw.decode()
    if _ESCAPE in text:
        return _ESCAPE.join(part.replace(_ESCAPE + "0", "\0") for part in text.split(_ESCAPE + _ESCAPE))
    return text


@define(eq=False)
class _Statement:
    """`name`: empty until it is prepared. `columns`: their places by name; `loaders`: for each one, as they were."""

    sql: bytes
    name: bytes = b""
    columns: Mapping[str, int] = field(factory=dict[str, int])
    loaders: Sequence[Loader] = ()


class Statements:
    """The statements of one connection. One that is seen for the second time is prepared.

    `prepares`: whether prepared ones are used. Where a newer program has added a column to a table that one of them
    reads, the server refuses it once, and a transaction with it: so only work that can be done again may use them.
    """

    def __init__(self, pgconn: pq.abc.PGconn) -> None:
        self.prepares = True
        self._pgconn = pgconn
        self._known: OrderedDict[tuple[str, tuple[int, ...]], _Statement] = OrderedDict()
        self._last = 0

    def execute(
        self, sql: str, values: Sequence[Any], *, is_translated: bool = False
    ) -> tuple[Rows, Mapping[str, int]]:
        """The rows of a statement in SQLite's words (or in PostgreSQL's own), and the places of its columns by name.

        Values are whole numbers, floats, texts, bytes or None, each of one type whatever the statement does with it.
        Raises psycopg.Error.
        """
        encoders = [_ENCODERS.get(type(value)) or _encoder(type(value)) for value in values]
        try:
            given: list[Any] = [encode(value) for (_, encode), value in zip(encoders, values, strict=True)]
        except struct.error as error:
            raise psycopg.DataError("a number of more than 64 bits") from error
        types = tuple([oid for oid, _ in encoders])
        binary = [pq.Format.BINARY] * len(types)
        statement, is_known = self._statement(sql, types, is_translated=is_translated)
        if is_known and self.prepares:
            result = self._pgconn.exec_prepared(self._prepared(statement, types), given, binary, pq.Format.BINARY)
        else:
            result = self._pgconn.exec_params(statement.sql, given, types, binary, pq.Format.BINARY)
        _demand(self._pgconn, result)
        return _rows(statement, result)

    def run(self, script: str) -> None:
        """Statements of PostgreSQL's own, without values or rows, sent as they stand. Raises psycopg.Error."""
        _demand(self._pgconn, self._pgconn.exec_(script.encode()))

    def forget(self) -> None:
        """Prepare each statement again. Not in a transaction that has failed."""
        while self._known:
            self._drop()

    def _statement(self, sql: str, types: tuple[int, ...], *, is_translated: bool) -> tuple[_Statement, bool]:
        """The statement, and whether it was seen before."""
        if (found := self._known.get((sql, types))) is not None:
            self._known.move_to_end((sql, types))
            return found, True
        if len(self._known) >= PREPARED:
            self._drop()
        made = self._known[sql, types] = _Statement((sql if is_translated else translated(sql)).encode())
        return made, False

    def _prepared(self, statement: _Statement, types: tuple[int, ...]) -> bytes:
        """Its name, prepared."""
        if not statement.name:
            self._last += 1
            name = f"keepsake_{self._last}".encode()
            _demand(self._pgconn, self._pgconn.prepare(name, statement.sql, types))
            statement.name = name
        return statement.name

    def _drop(self) -> None:
        _, oldest = self._known.popitem(last=False)
        if oldest.name:
            self._pgconn.exec_(b"DEALLOCATE " + oldest.name)


def _demand(pgconn: pq.abc.PGconn, result: pq.abc.PGresult) -> None:
    """Raises psycopg.Error where the server refused a statement, or is gone."""
    if result.status in _DONE:
        return
    if pgconn.status == pq.ConnStatus.BAD:
        raise psycopg.OperationalError("the connection is lost")
    raise psycopg.errors.error_from_result(result)


def _rows(statement: _Statement, result: pq.abc.PGresult) -> tuple[Rows, Mapping[str, int]]:
    width = result.nfields
    if len(statement.loaders) != width:  # at first, and where a newer program has added a column
        names = [(result.fname(number) or b"").decode() for number in range(width)]
        statement.columns = {name: number for number, name in reversed(list(enumerate(names)))}
        statement.loaders = [_loader(result.ftype(number)) for number in range(width)]
    if result.ntuples > FEW and _SIMPLE.issuperset(statement.loaders):
        transformer = Transformer()
        transformer.set_pgresult(result)
        found = transformer.load_rows(0, result.ntuples, tuple)
        texts = [number for number, load in enumerate(statement.loaders) if load is unescaped]
        if not any(_ESCAPE in (row[number] or "") for number in texts for row in found):
            return found, statement.columns
    rows, get = range(result.ntuples), result.get_value
    columns = (
        [None if (data := get(row, number)) is None else load(data) for row in rows]
        for number, load in enumerate(statement.loaders)
    )
    return list(zip(*columns, strict=True)), statement.columns


def _text(value: str) -> bytes:
    return escaped(value).encode()


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def _float(data: bytes) -> float:
    value: float = _REAL.unpack(data)[0]
    return value


def _sum(data: bytes) -> int:
    """Sums of whole numbers are `numeric` there."""
    return int(_NUMERIC_LOADER.load(data))


_NUMBER, _REAL = struct.Struct(">q"), struct.Struct(">d")
_NUMERIC_LOADER = NumericBinaryLoader(_NUMERIC)
_ENCODERS: dict[type, Encoder] = {
    type(None): (_UNTYPED, lambda _: None),
    int: (_INT8, _NUMBER.pack),
    str: (_TEXT, _text),
    float: (_FLOAT8, _REAL.pack),
    bytes: (_BYTEA, bytes),
    HalfVector: (_UNTYPED, bytes),
}
_LOADERS: dict[int, Loader] = {
    _TEXT: unescaped,
    _INT8: _number,
    _INT4: _number,
    _INT2: _number,
    _FLOAT8: _float,
    _BYTEA: bytes,
    _NUMERIC: _sum,
}


_SIMPLE = {_number, _float, bytes, unescaped}
"""What psycopg loads as we do, apart from what is escaped."""


def _encoder(kind: type) -> Encoder:
    """Of a kind of these (a StrEnum), or of what stands for a whole number."""
    found = next((encoder for known, encoder in _ENCODERS.items() if issubclass(kind, known)), None)
    if found is None and not hasattr(kind, "__index__"):
        raise TypeError(f"PostgreSQL is given no {kind.__name__}")
    _ENCODERS[kind] = found or _ENCODERS[int]
    return _ENCODERS[kind]


@lru_cache(maxsize=100)
def _loader(oid: int) -> Loader:
    """Of a type that our own tables do not have: psycopg's."""
    if (known := _LOADERS.get(oid)) is not None:
        return known
    found = psycopg.adapters.get_loader(oid, pq.Format.BINARY)
    return bytes if found is None else found(oid).load
