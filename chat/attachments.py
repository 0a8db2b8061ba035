"""What people send along is read, looked at or heard: by which part of the program, and what is said where it is not.

Does not know how files are fetched, or what becomes of what was in them.
"""

from attrs import define

from attachments.documents import DocumentReader
from records.attachments import DocumentText


@define(kw_only=True, eq=False)
class Attachments:
    """One for the whole bot."""

    _documents: DocumentReader

    async def document(self, data: bytes, name: str, *, person: int) -> DocumentText:
        """The text of a document. Raises DocumentUnreadable."""
        return await self._documents.read(data, name, person=person)
