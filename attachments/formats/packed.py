"""Zip archives within bounds, and the XML in them without entities: what is unpacked has a limit before it is read."""

import io
import zipfile
from xml.etree import ElementTree

from locales.catalog import tr
from records.errors import DocumentUnreadable

MOST_UNPACKED = 150_000_000
"""Bytes of all members together, as the archive declares them; more than that no member gives."""
UNPACKED_ANYWAY, UNPACKED_EACH = 16_000_000, 32
"""And so many, and so many more for each byte of the archive: what office programs write shrinks to a tenth or less."""
MOST_MEMBERS = 5_000


def opened(data: bytes) -> zipfile.ZipFile:
    """The archive. Raises DocumentUnreadable for one that is damaged, encrypted or too large."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise DocumentUnreadable(tr("files-damaged")) from None
    members = archive.infolist()
    most = min(MOST_UNPACKED, UNPACKED_ANYWAY + UNPACKED_EACH * len(data))
    if len(members) > MOST_MEMBERS or sum(member.file_size for member in members) > most:
        raise DocumentUnreadable(tr("files-died"))
    if any(member.flag_bits & 1 for member in members):
        raise DocumentUnreadable(tr("files-password"))
    return archive


def content(archive: zipfile.ZipFile, name: str) -> bytes:
    """A member's bytes; empty where there is none of this name."""
    try:
        return archive.read(name)
    except KeyError:
        return b""


def tree(xml: bytes) -> ElementTree.Element:
    """A small document. Raises DocumentUnreadable; entities and other definitions are refused."""
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
