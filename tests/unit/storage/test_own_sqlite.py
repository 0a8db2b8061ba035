"""Stores use Python's own sqlite3 on platforms without a wheel of pysqlite3 (Raspberry Pi, macOS)."""

import subprocess
import sys

# None in sys.modules: to import it is an ImportError, as where it is not installed.
WITHOUT_THE_PACKAGE = """
import sys
sys.modules["pysqlite3"] = None
import pytest
names = ["tests/contract/test_messages.py", "tests/contract/test_candidates.py"]
sys.exit(pytest.main(["-p", "no:cacheprovider", "-k", "sqlite and not postgres and not json", *names]))
"""


def test_store_contract_holds_on_stdlib_sqlite() -> None:
    run = subprocess.run([sys.executable, "-c", WITHOUT_THE_PACKAGE], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
