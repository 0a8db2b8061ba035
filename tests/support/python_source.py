"""Parsing of Python source for tests that inspect the code."""

import ast
from contextlib import suppress


def parse_python(source: str) -> ast.Module:
    """Parse Python source. Retry, because in CPython 3.11 concurrent calls of ast.parse may raise a SystemError."""
    for _ in range(5):
        with suppress(SystemError):
            return ast.parse(source)
    return ast.parse(source)
