"""Open zip archives within size limits, and parse the XML in them without expanding entities."""

import io
import zipfile
from xml.etree import ElementTree

from locales.catalog import tr
from records.errors import DocumentUnreadable

MAX_UNPACKED_BYTES = 150_000_000  # of all members, as the archive declares them: zipfile reads no more of a member
# A small archive may unpack to less: what office programs write shrinks to a tenth.
MIN_UNPACKED_BYTES = 16_000_000
UNPACKED_PER_BYTE = 32
MAX_MEMBERS = 5_000


def open_archive(data: bytes) -> zipfile.ZipFile:
    """Open a ZIP archive. Raise DocumentUnreadable if it is damaged, encrypted or too large."""
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


def read_zip_member(archive: zipfile.ZipFile, member_name: str) -> bytes:
    try:
        return archive.read(member_name)
    except KeyError:
        return b""


def parse_xml(xml: bytes) -> ElementTree.Element:
    """Parse XML and return its root element. Raise DocumentUnreadable if it is invalid or defines entities."""
    raise_if_xml_defines_entities(xml)
    try:
        return ElementTree.fromstring(xml)  # noqa: S314 - without definitions there is nothing to expand
    except ElementTree.ParseError:
        raise DocumentUnreadable(tr("files-damaged")) from None


def raise_if_xml_defines_entities(data: bytes) -> None:
    """Raise DocumentUnreadable if XML defines entities, because they could expand without limit."""
    plain = data.replace(b"\0", b"")
    if b"<!DOCTYPE" in plain or b"<!ENTITY" in plain:
        raise DocumentUnreadable(tr("files-own-xml"))
