"""Replacements for LocalEmbedder's child process that fail.

One dies of some texts, as C code may. The other has no model.
"""

import os
import signal
import sys

import numpy as np

from llm.local_embedder_child import READY, REQUEST


def answer_requests_from_parent_process() -> None:
    """Answer each text with the same vector. "die" kills the process, "hang" is never answered."""
    out = sys.stdout.buffer
    out.write(READY)
    out.flush()
    while len(header := sys.stdin.buffer.read(REQUEST.size)) == REQUEST.size:
        _, length = REQUEST.unpack(header)
        text = sys.stdin.buffer.read(length).decode()
        if "die" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang" not in text:
            out.write(np.ones(384, "<f4").tobytes())
            out.flush()


def without_model() -> None:
    """End as the child process does if the model is missing."""
    raise ImportError
