"""What people send along with their words: the text of documents, pictures, and what was spoken."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A stretch of a document's text. `place`: where it stands, as people say it: "page 3", "lines 12–40"."""

    place: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentText:
    """The text of a document in passages, in order. `is_whole`: nothing was left out at its end."""

    name: str
    passages: tuple[Passage, ...]
    is_whole: bool = True
