"""PostgresConnection returns values unchanged and stays usable after errors."""

import math
from collections.abc import Iterator
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.engine.postgres_driver import PostgresConnection, register_type_adapters
from storage.stores.postgres import PostgresStore, open_postgres_database
from tests.contract.conftest import ANNA, append_turns, make_config
from tests.support.postgres_server import make_schema_address


class Colour(StrEnum):
    RED = "red"


class Size(IntEnum):
    LARGE = 3


@pytest.fixture
def connection(postgres_url: str) -> Iterator[PostgresConnection]:
    with psycopg.connect(postgres_url, autocommit=True) as raw:
        register_type_adapters(raw)
        yield PostgresConnection(raw)


def test_parameter_values_round_trip_unchanged(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as raw:
        register_type_adapters(raw)
        connection = PostgresConnection(raw)

        @given(
            st.text(st.sampled_from("\0\ufdd0" + "0a😀")) | st.text(),
            st.integers(-(2**63), 2**63 - 1),
            st.floats(allow_nan=False),
            st.binary(),
        )
        def kept(text: str, number: int, real: float, data: bytes) -> None:
            text = text.encode(errors="replace").decode()  # half surrogates are replaced by every store
            given_values = (text, number, real, data, None)
            assert tuple(connection.execute("SELECT ?, ?, ?, ?, ?", given_values).fetchone()) == given_values

        kept()


@pytest.mark.parametrize(
    ("value", "back"),
    [(True, 1), (np.int64(7), 7), (Colour.RED, "red"), (Size.LARGE, 3), (math.inf, math.inf), ("", ""), (b"", b"")],
)
def test_values_of_other_types_are_converted_to_basic_types(
    connection: PostgresConnection, value: Any, back: object
) -> None:
    found = connection.execute("SELECT ?", (value,)).fetchone()[0]
    assert found == back
    assert type(found) is type(back)


def test_sum_is_integer_and_other_types_use_driver_conversion(connection: PostgresConnection) -> None:
    row = connection.execute(
        "SELECT SUM(n) AS total, true AS yes, NULL::BIGINT AS no FROM (SELECT 2::BIGINT AS n) AS a"
    )
    found = row.fetchone()
    assert (found["total"], found["yes"], found["no"]) == (2, True, None)


@pytest.mark.parametrize("count", [1, 7])
@pytest.mark.parametrize("text", ["é", "a\0b\ufdd0c"])
def test_one_row_and_many_rows_are_read_alike(connection: PostgresConnection, count: int, text: str) -> None:
    found = connection.execute(
        "SELECT n, n::FLOAT / 2, decode('00ff', 'hex'), NULLIF(n, 1), ?, NULL::TEXT FROM generate_series(1, ?) AS n",
        (text, count),
    )
    expected = [
        (number, number / 2, b"\x00\xff", None if number == 1 else number, text, None) for number in range(1, count + 1)
    ]
    assert [tuple(row) for row in found] == expected


def test_integer_beyond_64_bits_raises_data_error(connection: PostgresConnection) -> None:
    with pytest.raises(psycopg.DataError):
        connection.execute("SELECT ?", (2**63,))
    assert connection.execute("SELECT 1").fetchone()[0] == 1


def test_connection_stays_usable_after_server_error(connection: PostgresConnection) -> None:
    for _ in range(3):
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("SELECT 1 / ?", (0,))
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.run("SELECT 1; SELECT * FROM nothing_of_this_name")
    assert connection.execute("SELECT 1 / ?", (1,)).fetchone()[0] == 1


async def test_running_program_survives_columns_added_by_newer_version(tmp_path: Path, postgres_url: str) -> None:
    """PostgreSQL refuses a prepared statement whose result has other columns than before."""
    url = make_schema_address(postgres_url, tmp_path)
    async with open_postgres_database(url) as database:
        store = PostgresStore(database)
        await store.upsert_owner(make_config(store, ANNA.owner))

        async def a_turn() -> int:
            await append_turns(store, ANNA, 1)
            assert await store.find_owner_config(ANNA.owner)
            sources = await store.read_context_sources(ANNA, max_turns=4, before_turn=None)
            return len(await store.timeline.read_page(ANNA)) + len(sources.last)

        for _ in range(6):
            await a_turn()
        with psycopg.connect(url, autocommit=True) as raw:
            for table in ("users", "messages", "summaries", "profiles", "facts"):
                raw.execute(f"ALTER TABLE {table} ADD COLUMN newer BIGINT NOT NULL DEFAULT 0".encode())
        assert await a_turn() == 14 + 8
