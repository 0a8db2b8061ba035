"""Remembers which models end their thoughts with a closing tag but do not begin them with a tag."""

import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from time import time

_NAMED_FOR_THINKING = re.compile(r"think|reason|\br1\b|qwq", re.IGNORECASE)  # models whose first text may be thoughts
REMEMBERED_SECONDS = 30 * 86_400.0  # since the last such answer. Later, the server may have been updated.


class ThinkingHabit:
    """A file that records this habit of one model at an endpoint. It `is_likely` in the model's next answer or not."""

    def __init__(self, folder: Path | None, endpoint: str, model: str) -> None:
        key = sha256(f"{endpoint} {model}".encode()).hexdigest()[:32]  # the address may contain a password
        self._file = folder / f".thinking-models-{key}" if folder is not None else None
        self.is_likely = self._is_recorded() or _NAMED_FOR_THINKING.search(model) is not None

    def record_answer(self, *, begins_with_thoughts: bool) -> None:
        if begins_with_thoughts and self._file is not None:
            with suppress(OSError):
                self._file.touch(0o600)
        self.is_likely = begins_with_thoughts or self._is_recorded()

    def _is_recorded(self) -> bool:
        with suppress(OSError):  # it may have been deleted
            return self._file is not None and self._file.stat().st_mtime > time() - REMEMBERED_SECONDS
        return False
