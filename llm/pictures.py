"""How endpoints refuse pictures: all of them, for their model sees none, or just this one.

Read from what the servers of many makers say. Does not know what is asked about a picture.
"""

import re
from typing import Literal

from llm.endpoint import error_body, error_code, error_message
from llm.transport import StatusError

Refused = Literal["", "all", "this", "unclear"]

_STATUS = frozenset({400, 404, 415, 422, 500, 501})
_SPOILT = re.compile(
    r"invalid_image|image_parse|valid image|unsupported image|process image|image format|image.{0,20}too (large|small)"
    r"|decode image|load image",
    re.IGNORECASE,
)
# OpenAI, vLLM, llama.cpp (mmproj), Ollama, OpenRouter, LM Studio, Mistral; Groq and DeepSeek name the type they miss.
_NAMED = re.compile(
    r"\bimages?\b|image_url|image_input|\bvision\b|multi-?modal|mmproj|content must be a string"
    r"|unknown variant|content.{0,40}(valid|should be a(?: valid)?) string",
    re.IGNORECASE,
)


def refused_pictures(error: Exception) -> Refused:
    """What the refusal of a request with pictures says of them. "unclear": a bad request, and nobody knows why."""
    if not isinstance(error, StatusError) or error.status_code not in _STATUS:
        return ""
    words = f"{error_code(error.body)} {error_body(error.body).get('param')} {error_message(error.body)}"
    if _SPOILT.search(words):
        return "this"
    if _NAMED.search(words):
        return "all"
    return "unclear" if error.status_code in (400, 422) and error_code(error.body) != "content_filter" else ""
