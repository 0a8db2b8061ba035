"""Files that people and the bot sent: their contents, ids, paths and message fields."""

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import PurePosixPath

from playground.refusals import Json

DOWNLOAD_LIMIT = 20 * 1024 * 1024  # bytes; getFile refuses larger files


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    file_id: str
    path: str
    name: str
    mime_type: str
    data: bytes

    def to_file_json(self) -> Json:
        """Return the fields that all file objects of the Bot API share."""
        return {
            "file_id": self.file_id,
            "file_unique_id": hashlib.sha256(self.data).hexdigest()[:16],
            "file_size": len(self.data),
        }


class Files:
    """All files sent by people and the bot, by id and by path."""

    def __init__(self) -> None:
        self._by_id: dict[str, StoredFile] = {}
        self._by_path: dict[str, StoredFile] = {}

    def add(self, kind: str, name: str, data: bytes) -> StoredFile:
        number = len(self._by_id)
        name = PurePosixPath(name.replace("\\", "/")).name or "file"
        file = StoredFile(
            file_id=f"BQACAgIAAxkBAAI{number:06}",
            path=f"{kind}s/file_{number}{PurePosixPath(name).suffix}",
            name=name,
            mime_type=mimetypes.guess_type(name)[0] or "application/octet-stream",
            data=data,
        )
        self._by_id[file.file_id] = self._by_path[file.path] = file
        return file

    def find_by_id(self, file_id: str) -> StoredFile | None:
        return self._by_id.get(file_id)

    def find_by_path(self, path: str) -> StoredFile | None:
        return self._by_path.get(path)


def make_attachment(kind: str, file: StoredFile) -> Json:
    """Return the message field for a file of this kind. Raise KeyError if the kind is unknown.

    The dimensions and durations of media are made up, because the contents are not parsed.
    """
    described = file.to_file_json()
    media = {"mime_type": file.mime_type}
    named = {"file_name": file.name, **media}
    frame = {"width": 512, "height": 512}
    shapes: dict[str, Json] = {
        "document": {**described, **named},
        "audio": {**described, **named, "duration": 1},
        "voice": {**described, **media, "duration": 1},
        "video": {**described, **named, **frame, "duration": 1},
        "animation": {**described, **named, **frame, "duration": 1},
        "video_note": {**described, "length": 240, "duration": 1},
        "sticker": {**described, **frame, "type": "regular", "is_animated": False, "is_video": False, "emoji": "🙂"},
    }
    if kind == "photo":
        return {"photo": [{**described, **frame}]}
    if kind == "animation":
        return {"animation": shapes[kind], "document": shapes["document"]}  # as the real server, for old bots
    return {kind: shapes[kind]}
