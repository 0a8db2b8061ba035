"""A real PgBouncer works in session mode. Other modes are refused at start and by --check."""

from collections.abc import Callable
from pathlib import Path

import pytest

from records.errors import SettingsError
from storage.stores.postgres import open_postgres_database
from tests.support.pooler import run_pgbouncer
from tests.support.postgres_server import create_database

CLAIMS = "leads to a pooler in transaction mode; Keepsake needs its session mode"


@pytest.mark.parametrize("mode", ["transaction", "statement"])
async def test_refuses_pooler_outside_session_mode(mode: str, postgres_url: str, tmp_path: Path) -> None:
    """`--check` once said "PostgreSQL answers", although claims then failed every few seconds."""
    url = create_database(postgres_url, f"pooled_by_{mode}")
    with run_pgbouncer(url, mode, tmp_path) as behind, pytest.raises(SettingsError, match=CLAIMS):
        async with open_postgres_database(behind):
            pass


async def test_accepts_pooler_in_session_mode(postgres_url: str, tmp_path: Path) -> None:
    with run_pgbouncer(create_database(postgres_url, "pooled_by_session"), "session", tmp_path) as behind:
        async with open_postgres_database(behind) as database, database.open_reader(None) as reader:
            assert await reader.fetch_rows("SELECT COUNT(*) FROM users")
        async with open_postgres_database(behind):
            pass


def test_check_reports_database_url_of_transaction_pooler(
    postgres_url: str, tmp_path: Path, run_here: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    url = create_database(postgres_url, "pooled_for_check")
    with run_pgbouncer(url, "transaction", tmp_path) as behind:
        given = dict(part.split("=") for part in behind.split())
        address = f"postgresql://{given['user']}@{given['host']}:{given['port']}/{given['dbname']}"
        status = run_here(("--check",), {"DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": address})
    out = capsys.readouterr().out
    assert status == 2
    assert f"DATABASE_URL: {CLAIMS}" in out
