"""Sentences about errors, facts, prompts and stored data, in the language of the running task."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from locales.catalog import tr
from records import errors
from records.context import Cut
from records.errors import KeepsakeError, QuotaExceeded
from records.facts import Fact
from records.owners import OwnerConfig, StorageType, get_memory_mode

STORAGE_NAMES = {StorageType.SQLITE: "SQLite", StorageType.JSON: "JSON", StorageType.POSTGRES: "PostgreSQL"}
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
    errors.HistoryRefused: "errors-model-refused",
    errors.PicturesRefused: "errors-pictures-refused",
    errors.ModelDeclined: "errors-model-declined",
    errors.ModelBroken: "errors-model",
    errors.BrokenOff: "errors-broken-off",
    errors.QuotaExceeded: "errors-quota-exceeded",
    errors.FoldRefused: "errors-fold-refused",
    errors.ImportRefused: "errors-import-refused",
    errors.DocumentUnreadable: "files-damaged",
}
FOR_THE_OPERATOR = (errors.StorageError, errors.FoldRefused)
"""Errors whose own sentences name files, columns and checks, in English."""

_to_operator: ContextVar[bool] = ContextVar("to_operator", default=True)


@contextmanager
def speak_to(*, operator: bool) -> Iterator[None]:
    """Allow error sentences in the block to name settings and log numbers if the reader is the `operator`."""
    before = _to_operator.set(operator)
    try:
        yield
    finally:
        _to_operator.reset(before)


def is_for_operator() -> bool:
    """Return True if the person who is served may be the operator."""
    return _to_operator.get()


def format_error(error: KeepsakeError) -> str:
    """Return one or two sentences about an error, without secrets or message text."""
    is_own = error.plain != (type(error).__doc__ or "").strip() and not isinstance(error, FOR_THE_OPERATOR)
    said = error.plain if is_own else tr(next(KEYS[kind] for kind in type(error).__mro__ if kind in KEYS))
    if is_own and isinstance(error, errors.ImportRefused) and not error.may_pass:
        return f"{error.sentence} {tr('transfer-left')}"
    return f"{said} {error.remedy}".strip() if is_for_operator() else said


def format_apology(error: KeepsakeError, *, is_stored: bool) -> str:
    """Return what a person reads instead of an answer. `is_stored` is True if memory holds their message."""
    why = format_error(error) if isinstance(error, QuotaExceeded) else tr("notices-failed", why=format_error(error))
    return " ".join([why, *([tr("notices-kept")] if is_stored else [])])


def add_error_number(sentence: str, number: str) -> str:
    """Return a sentence about a failure, with its log number for the operator."""
    return f"{sentence} {tr('notices-error', number=number)}" if is_for_operator() else sentence


WORTH = ((0.85, "vital"), (0.6, "important"), (0.35, ""), (0.0, "minor"))
"""Pairs of a fact's minimum importance (0 to 1) and the NAME of its text memory-worth-NAME."""


def format_worth(fact: Fact) -> str:
    """Return how important a fact is in a word or two, or ""."""
    name = next(name for least, name in WORTH if fact.importance >= least)
    return tr(f"memory-worth-{name}") if name else ""


SIGNALS = frozenset(
    {
        "words", "words before", "nearby", "meaning", "pinned", "instruction", "preference", "speaker", "reply", "time",
        "opening", "recent", "state",
    }
)  # fmt: skip
"""Parts of a score that have a text why-for-NAME."""
PARTS = frozenset(
    {"system", "profile", "summaries", "recent", "tools", "instructions", "facts"}
    | {"snippets", "clock", "message", "overhead"}
)
"""Parts of a prompt that have a text why-part-NAME."""
MIN_SIGNAL = 1.0  # of a message's score; a weaker signal is not a reason


def format_reason(score: Mapping[str, float], *, least: float = MIN_SIGNAL) -> str:
    """Return the strongest signal in words, or "loosely related" if none reaches `least`."""
    raised = {name: value for name, value in score.items() if name in SIGNALS and value > 0}
    strongest = max(raised, key=raised.__getitem__, default="")
    is_strong = bool(strongest) and raised[strongest] >= least
    return tr(f"why-for-{strongest.replace(' ', '-')}") if is_strong else tr("why-loosely")


def name_part(name: str) -> str:
    """Return the name of a prompt's part, worded for use in a sentence."""
    return tr(f"why-part-{name}") if name in PARTS else name


def format_left_out(cut: Iterable[Cut], *, is_message_cut: bool) -> list[str]:
    """Return the names of the kinds of content that did not fit in a prompt."""
    kinds = dict.fromkeys(left.what if left.what in ("summary", "document") else "messages" for left in cut)
    return [*([tr("why-message-cut")] if is_message_cut else []), *(tr(f"why-cut-{kind}") for kind in kinds)]


def format_what_is_stored(config: OwnerConfig | None, *, is_private: bool, retention_days: int) -> str:
    """Return the text of /privacy: the state of memory, what is kept, and for how long."""
    in_group = "" if is_private else tr("basics-stored-group")
    sentences = (tr("basics-stored"), in_group, tr("basics-reminders"), format_retention(retention_days))
    return f"{format_state(config)}\n\n{' '.join(filter(None, (*sentences, tr('basics-forgetting'))))}"


def format_state(config: OwnerConfig | None) -> str:
    """Return the line that says if memory is on and where it is stored."""
    return tr(f"basics-mode-{get_memory_mode(config)}", storage=STORAGE_NAMES[config.storage] if config else "")


def format_retention(days: int) -> str:
    """Return the sentence about RETENTION_DAYS, or ""."""
    return tr("basics-retention", days=days) if days else ""
