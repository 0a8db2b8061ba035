"""Zip archives within bounds, and the XML in them without entities: what is unpacked has a limit before it is read."""

import io
import zipfile
from xml.etree import ElementTree

from locales.catalog import tr
from records.errors import DocumentUnreadable

MAX_UNPACKED_BYTES = 150_000_000
"""Bytes of all members together, as the archive declares them; more than that no member gives."""
MIN_UNPACKED_BYTES, UNPACKED_PER_BYTE = 16_000_000, 32
"""And so many, and so many more for each byte of the archive: what office programs write shrinks to a tenth or less."""
MAX_MEMBERS = 5_000


def open_archive(data: bytes) -> zipfile.ZipFile:
    """Return the archive. Raise DocumentUnreadable for one that is damaged, encrypted or too large."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise DocumentUnreadable(tr("files-damaged")) from None
    members = archive.infolist()
    most = min(MAX_UNPACKED_BYTES, MIN_UNPACKED_BYTES + UNPACKED_PER_BYTE * len(data))
    if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > most:
        raise DocumentUnreadable(tr("files-died"))
    if any(member.flag_bits & 1 for member in members):
        raise DocumentUnreadable(tr("files-password"))
    return archive


def read_content(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a member's bytes; empty where there is none of this name."""
    try:
        return archive.read(name)
    except KeyError:
        return b""


def parse_xml(xml: bytes) -> ElementTree.Element:
    """Return a small document. Raise DocumentUnreadable; entities and other definitions are refused."""
    refuse_definitions(xml)
    try:
        return ElementTree.fromstring(xml)  # noqa: S314 - without definitions there is nothing to expand
    except ElementTree.ParseError:
        raise DocumentUnreadable(tr("files-damaged")) from None


def refuse_definitions(data: bytes) -> None:
    """XML that defines entities may grow without end, or name files of this machine. Office programs define none.
    Without their zeros the encodings of two and four bytes read as the others that a parser knows.
    """
    plain = data.replace(b"\0", b"")
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise DocumentUnreadable(tr("files-own-xml"))
