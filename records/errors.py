"""The errors of all layers. An error's docstring is its log message; locales/sentences.py has the texts for people."""

from typing import ClassVar

ErrorText = str  # a sentence that says what is wrong, for a person or a model


class KeepsakeError(Exception):
    """Something went wrong."""

    may_pass: ClassVar[bool] = True  # True if a retry may succeed; only then is a person offered one

    def __init__(self, sentence: str | None = None, *, remedy: str = "") -> None:
        self.plain = sentence or (type(self).__doc__ or "").strip()
        self.remedy = remedy  # what the operator can do, with names of settings
        super().__init__(f"{self.plain} {remedy}".strip())

    @property
    def sentence(self) -> str:
        """A description for people, in one or two sentences, without secrets or message text."""
        return str(self)


def list_error_names(base: type[KeepsakeError]) -> list[str]:
    return [base.__name__, *(name for below in base.__subclasses__() for name in list_error_names(below))]


class SettingsError(KeepsakeError):
    """A setting is wrong."""

    def __init__(self, variable: str, sentence: str) -> None:
        super().__init__(f"{variable}: {sentence}")
        self.variable = variable
        self.plain = sentence


class StorageError(KeepsakeError):
    """The memory cannot be read or written right now."""


class StorageBusy(StorageError):  # noqa: N818 - reads as the state it is
    """The memory is in use by another process."""


class StorageHeld(StorageBusy):
    """The memory is in use by another process of Keepsake."""


class StorageTooNew(StorageError):  # noqa: N818
    """The memory was written by a newer version of Keepsake; please update the program."""

    may_pass = False

    @classmethod
    def for_format(cls, name: str, version: int, newest_known: int) -> "StorageTooNew":
        """Return the error for a file or database `name` in the format `version`."""
        return cls(
            f"{name} was written by a newer version of Keepsake (its format is {version}, this program knows "
            f"{newest_known}); please update the program."
        )


class StorageTooOld(StorageError):  # noqa: N818
    """The memory was written by a version of Keepsake before 1.0."""

    may_pass = False

    @classmethod
    def for_file(cls, name: str) -> "StorageTooOld":
        """Return the error for the file or database `name`, which a version before 1.0 wrote."""
        return cls(
            f"{name} was written by a version of Keepsake before 1.0, and was left as it is. To take the memories "
            "over, start that version again and send /export json in each chat, then start this version with an empty "
            "DATA_DIR (and an empty database, where DATABASE_URL is set) and send /import with each file."
        )


class StorageTooLarge(StorageError):  # noqa: N818
    """The file is larger than what this program reads; nothing was changed."""

    may_pass = False


class StorageCorrupt(StorageError):  # noqa: N818
    """The memory's file is damaged. The bot's admin can restore a backup."""

    may_pass = False


class StaleSummary(StorageError):  # noqa: N818
    """The fold lost its lease, or its sources were changed."""


class StaleFacts(StorageError):  # noqa: N818
    """The sources of the facts have been changed or deleted in the meantime."""


class NewerFacts(StaleFacts):
    """Other facts were stored after the changes had been planned."""


class ModelError(KeepsakeError):
    """The model gave no usable answer."""

    words: str = ""  # the endpoint's own, without the key; only --check may show them, since it sends nobody's messages
    half: str = ""  # the part of an answer that arrived before it broke off; it is marked when shown, and never stored


class ModelUnreachable(ModelError):  # noqa: N818
    """The model cannot be reached."""


class ModelBusy(ModelError):  # noqa: N818
    """The model is busy. Please try again in a moment."""

    def __init__(self, sentence: str | None = None, retry_after: float | None = None, *, status: int = 0) -> None:
        super().__init__(sentence, remedy=f"(status {status})" if status else "")
        self.retry_after = retry_after
        self.status = status  # of the HTTP response, or 0


class ModelLoading(ModelBusy):
    """The model is being loaded. Please try again in a minute."""


class ModelRefused(ModelError):  # noqa: N818
    """The model's server refused the request."""


class ContextTooLong(ModelRefused):
    """The request is too long for the model."""


class HistoryRefused(ContextTooLong):
    """The model's server refused the request."""


class PicturesRefused(ModelRefused):
    """The model does not take pictures."""

    may_pass = False


class ModelDeclined(ModelError):  # noqa: N818
    """This message was declined by the model or its provider."""


class ModelBroken(ModelError):  # noqa: N818
    """The model gave no usable answer."""


class BrokenOff(ModelBroken):
    """The answer broke off before it was complete."""


class QuotaExceeded(ModelError):  # noqa: N818
    """Today's share of answers is used up."""

    may_pass = False


class FactsFull(KeepsakeError):  # noqa: N818
    """The memory already holds the maximum number of facts."""

    may_pass = False


class ServedElsewhere(KeepsakeError):  # noqa: N818
    """This memory is now being served by another process of the bot."""


class SummaryRejected(KeepsakeError):  # noqa: N818
    """The summary was not good enough."""


class ImportRefused(KeepsakeError):  # noqa: N818
    """The file cannot be imported; nothing was changed."""

    may_pass = False


class ImportBusy(ImportRefused):
    """A summary or another import is in progress."""

    may_pass = True


class DocumentUnreadable(KeepsakeError):  # noqa: N818
    """I can't read this file. It may be damaged."""

    may_pass = False
