"""How a value is declared that is made for every message of every prompt. Knows none of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

Value = TypeVar("Value")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(kind: type[Value]) -> type[Value]:
    """A dataclass whose values nobody changes, made by keyword, with slots and a hash.

    That they are frozen is for mypy to see, not for Python to enforce: a frozen dataclass takes three times as long to
    make, since it sets each of its fields by a call (docs/decisions/2026-11-23-values-made-often.md).
    """
    made: Callable[[type[Value]], type[Value]] = dataclass(kw_only=True, slots=True, unsafe_hash=True)
    return made(kind)
