"""The child process that reads a document into passages. It imports little, so that it starts fast."""

import sys

from attachments.formats import detection
from attachments.passages import group_into_passages_and_check_if_whole
from locales.catalog import tr, use_language
from records.attachments import DocumentText
from records.errors import DocumentUnreadable
from runtime.subprocess_child import limit_resources, write_child_answer

MEMORY_ANYWAY, MEMORY_EACH, MEMORY = 200_000_000, 30, 700_000_000
"""Bytes of address space that a child has, so many more for each byte of the document, and the most. With the libraries
it has 60 million before it reads anything.
"""
SECONDS = 60  # of a processor


def read_document(data: bytes, name: str) -> DocumentText:
    """Return the text of a document. Raise DocumentUnreadable if it has no readable text."""
    passages, is_whole = group_into_passages_and_check_if_whole(detection.read_lines(data, name))
    if not passages:
        raise DocumentUnreadable(tr("files-empty"))
    return DocumentText(name=name, passages=passages, is_whole=is_whole)


def answer_requests_from_parent_process() -> None:
    """Read a document from standard input and write its passages to standard output."""
    name, size = sys.argv[2], int(sys.argv[3])
    limit_resources(memory_bytes=min(MEMORY, MEMORY_ANYWAY + MEMORY_EACH * size), cpu_seconds=SECONDS)
    sys.modules["numpy"] = None  # type: ignore[assignment]  # openpyxl would load it: 110 MB of address space for nothing
    with use_language(sys.argv[4]):
        _write_passages_of_stdin_document(name, size)


def _write_passages_of_stdin_document(file_name: str, byte_count: int) -> None:
    out = sys.stdout.buffer
    try:
        found = read_document(sys.stdin.buffer.read(byte_count), file_name)
    except DocumentUnreadable as refused:
        write_child_answer(out, "refused", refused.sentence)
    except MemoryError:
        write_child_answer(out, "refused", tr("files-died"))
    except Exception:  # broad: libraries raise whatever a damaged file makes them stumble over
        write_child_answer(out, "refused", tr("files-damaged"))
    else:
        passages = [(passage.place, passage.text) for passage in found.passages]
        write_child_answer(out, "document", {"passages": passages, "is_whole": found.is_whole})
