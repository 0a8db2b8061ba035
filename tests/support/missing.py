"""Skip a test whose requirements are missing on this machine, or fail it where skips are forbidden."""

import os
from typing import NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test, or fail it if KEEPSAKE_NO_SKIPS=1.

    `.ci/run` sets that, because it installs everything that the suite needs.
    """
    if os.environ.get("KEEPSAKE_NO_SKIPS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
