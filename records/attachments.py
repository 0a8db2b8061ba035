"""Attachments: pictures, and text extracted from documents."""

import math
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A passage of a document, with its place in the document."""

    place: str  # for people, such as "page 3" or "lines 12–40"
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentText:
    """The text of a document, split into passages."""

    name: str
    passages: tuple[Passage, ...]
    is_whole: bool = True  # False if the end was left out


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A picture that is sent to a model, with its size in pixels and its source."""

    data: bytes = field(repr=False)
    mime: str
    width: int = 0  # in pixels, or 0 if unknown
    height: int = 0
    kind: str = ""  # the name under which memory describes it, such as "Photo", or "" if it is not remembered
    source: str = ""  # in memory, built from the source of its message and the id of the file

    @property
    def token_count(self) -> int:
        """The estimated number of tokens that the picture adds to a prompt."""
        return count_picture_tokens(self.width, self.height)


def count_picture_tokens(width: int, height: int) -> int:
    """Estimate the tokens of a picture in a prompt. Return the maximum of the providers' published rules.

    OpenAI counts 85 tokens plus 170 per tile of 512 pixels, after scaling to 2,048 and 768 pixels, or up to 1,536
    patches of 32 pixels, times 1.62 for small models (platform.openai.com/docs/guides/images-vision). Anthropic counts
    width × height / 750 (docs.anthropic.com, Vision). Gemini never counts more: 258 tokens per tile of 768 pixels.
    """
    if width <= 0 or height <= 0:
        width, height = 1280, 1280
    patches = min(1536, math.ceil(width / 32) * math.ceil(height / 32)) * 1.62
    fit = min(1.0, 2048 / max(width, height))
    fit *= min(1.0, 768 / (min(width, height) * fit))
    tiles = 85 + 170 * math.ceil(width * fit / 512) * math.ceil(height * fit / 512)
    longest = min(1.0, 1568 / max(width, height))
    return math.ceil(max(patches, tiles, width * longest * height * longest / 750))
