"""What a person is told of an error, in the language of the task that is running.

Most errors carry their sentence, which `tr` made where they were raised. Here is what is said where there is none, or
where it is meant for the operator. Does not know who is told.
"""

from collections.abc import Mapping

from locales.catalog import tr
from records import errors
from records.errors import KeepsakeError

KEYS: Mapping[type[KeepsakeError], str] = {
    errors.KeepsakeError: "errors-keepsake",
    errors.StorageError: "errors-storage",
    errors.StorageCorrupt: "errors-storage-damaged",
    errors.StorageIndexing: "errors-storage-indexing",
    errors.ModelError: "errors-model",
    errors.ModelUnreachable: "errors-model-unreachable",
    errors.ModelBusy: "errors-model-busy",
    errors.ModelLoading: "errors-model-loading",
    errors.ModelRefused: "errors-model-refused",
    errors.ContextTooLong: "errors-context-too-long",
    errors.PicturesRefused: "errors-pictures-refused",
    errors.ModelDeclined: "errors-model-declined",
    errors.ModelBroken: "errors-model-broken",
    errors.QuotaExceeded: "errors-quota-exceeded",
    errors.FoldRefused: "errors-fold-refused",
    errors.ImportRefused: "errors-import-refused",
    errors.DocumentUnreadable: "errors-document-unreadable",
}
FOR_THE_OPERATOR = (errors.StorageError, errors.FoldRefused)
"""Their own sentences name files, columns and checks, in English."""


def told(error: KeepsakeError) -> str:
    """One or two sentences, without a secret and without a message's text."""
    is_own = error.sentence != (type(error).__doc__ or "").strip()
    if is_own and not isinstance(error, FOR_THE_OPERATOR):
        return error.sentence
    return tr(next(KEYS[kind] for kind in type(error).__mro__ if kind in KEYS))
