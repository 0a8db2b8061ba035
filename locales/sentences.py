"""Sentences about errors, facts, prompts, and stored or erased data, in the language of the running task."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import get_args

from locales.catalog import comma_join, tr
from records import errors
from records.context import Cut, PartName
from records.errors import KeepsakeError, QuotaExceeded
from records.facts import Fact
from records.forgetting import ForgetResult, RemainingQuotes
from records.owners import OwnerConfig, StorageType, get_memory_mode
from records.summaries import SummaryOutcome

MAX_NAMED = 5  # names that a sentence lists before "and 3 more"
STORAGE_NAMES = {StorageType.SQLITE: "SQLite", StorageType.JSON: "JSON", StorageType.POSTGRES: "PostgreSQL"}
KEYS: Mapping[type[KeepsakeError], str] = {
    errors.KeepsakeError: "errors-keepsake",
    errors.StorageError: "errors-storage",
    errors.StorageCorrupt: "errors-storage-damaged",
    errors.StaleSummary: "errors-changed-meanwhile",
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
    errors.SummaryRejected: "errors-fold-refused",
    errors.ImportRefused: "errors-import-refused",
    errors.DocumentUnreadable: "files-damaged",
}
FOR_THE_OPERATOR = (errors.StorageError, errors.SummaryRejected)  # their own sentences name files, columns and checks

_to_operator: ContextVar[bool] = ContextVar("to_operator", default=True)


def join_some(names: Sequence[str]) -> str:
    """Return the first names of a list, and how many more there are."""
    more = len(names) - MAX_NAMED
    return comma_join([*names[:MAX_NAMED], *([tr("import-more", more=more)] if more > 0 else ())])


@contextmanager
def use_reader_role(*, is_operator: bool) -> Iterator[None]:
    """Set the reader's role inside the block. Error messages show setting names and log numbers only to operators."""
    before = _to_operator.set(is_operator)
    try:
        yield
    finally:
        _to_operator.reset(before)


def is_reader_operator() -> bool:
    """Return True if texts are for the operator, and so may name settings and log numbers."""
    return _to_operator.get()


def format_error(error: KeepsakeError) -> str:
    """Return one or two sentences about an error, without secrets or message text."""
    is_own = error.plain != (type(error).__doc__ or "").strip() and not isinstance(error, FOR_THE_OPERATOR)
    said = error.plain if is_own else tr(next(KEYS[kind] for kind in type(error).__mro__ if kind in KEYS))
    if is_own and isinstance(error, errors.ImportRefused) and not error.may_pass:
        return f"{error.sentence} {tr('transfer-left')}"
    return f"{said} {error.remedy}".strip() if is_reader_operator() else said


def format_apology(error: KeepsakeError, *, is_stored: bool) -> str:
    """Return the text that replaces an answer after an error. `is_stored` is True if the message is in memory."""
    why = format_error(error) if isinstance(error, QuotaExceeded) else tr("notices-failed", why=format_error(error))
    return " ".join([why, *([tr("notices-kept")] if is_stored else [])])


def add_error_number(sentence: str, error_number: str) -> str:
    """Append a failure's log number to a sentence if the reader may be the operator."""
    return f"{sentence} {tr('notices-error', number=error_number)}" if is_reader_operator() else sentence


WORTH = ((0.85, "vital"), (0.6, "important"), (0.35, ""), (0.0, "minor"))
"""Pairs of a fact's minimum importance (0 to 1) and the NAME of its text memory-worth-NAME."""


def format_importance(fact: Fact) -> str:
    """Return the importance of a fact in a word or two, or "" if it is ordinary."""
    name = next(name for least, name in WORTH if fact.importance >= least)
    return tr(f"memory-worth-{name}") if name else ""


SIGNALS = frozenset(
    {"words", "words before", "nearby", "meaning", "pinned", "instruction", "preference", "speaker", "reply"}
    | {"time", "opening", "recent", "state"}
)  # parts of a score that have a text why-for-NAME
MIN_SIGNAL = 1.0  # the minimum score of a signal that is named as a reason


def format_match_reason(score: Mapping[str, float], *, min_score: float = MIN_SIGNAL) -> str:
    """Describe the strongest signal of a match, or return "loosely related" if none reaches `min_score`."""
    raised = {name: value for name, value in score.items() if name in SIGNALS and value > 0}
    strongest = max(raised, key=raised.__getitem__, default="")
    is_strong = bool(strongest) and raised[strongest] >= min_score
    return tr(f"why-for-{strongest.replace(' ', '-')}") if is_strong else tr("why-loosely")


def format_prompt_part(name: str) -> str:
    """Return the name of a part of the prompt, worded for use in a sentence."""
    return tr(f"why-part-{name}") if name in get_args(PartName) else name


def list_kinds_of_cut_content(cuts: Iterable[Cut], *, is_message_cut: bool) -> list[str]:
    """Return a phrase for each kind of content that did not fit in a prompt."""
    kinds = dict.fromkeys(left.what if left.what in ("summary", "document") else "messages" for left in cuts)
    return [*([tr("why-message-cut")] if is_message_cut else []), *(tr(f"why-cut-{kind}") for kind in kinds)]


def format_privacy_text(config: OwnerConfig | None, *, is_private: bool, retention_days: int) -> str:
    """Return the text of /privacy: the state of memory, what is stored and how long it is kept."""
    in_group = "" if is_private else tr("basics-stored-group")
    sentences = (tr("basics-stored"), in_group, tr("basics-reminders"), format_retention(retention_days))
    return f"{format_memory_state(config)}\n\n{' '.join(filter(None, (*sentences, tr('basics-forgetting'))))}"


def format_memory_state(config: OwnerConfig | None) -> str:
    """Return the line that says whether memory is on and where it is stored."""
    return tr(f"basics-mode-{get_memory_mode(config)}", storage=STORAGE_NAMES[config.storage] if config else "")


def format_retention(days: int) -> str:
    """Return a sentence that says how long messages are kept, or "" if they never expire."""
    return tr("basics-retention", days=days) if days else ""


def format_erasures(forget_result: ForgetResult) -> str:
    """Format the number of erased items of each kind, as in "2 messages, 1 summary"."""
    parts = [
        forget_result.messages and tr("shared-messages", messages=forget_result.messages),
        forget_result.summaries and tr("shared-summaries", summaries=forget_result.summaries),
        forget_result.facts and tr("shared-facts", facts=forget_result.facts),
        forget_result.profiles and tr("forget-profiles", profiles=forget_result.profiles),
        forget_result.versions and tr("forget-versions", versions=forget_result.versions),
        forget_result.reminders and tr("forget-reminders", reminders=forget_result.reminders),
    ]
    return comma_join(part for part in parts if part)


def format_quote_counts(quotes: RemainingQuotes) -> str:
    """Format how many later items quote the erased messages, as in "3 later answers, 1 fact"."""
    parts = [
        quotes.answers and tr("forget-answers", answers=len(quotes.answers)),
        quotes.facts and tr("shared-facts", facts=len(quotes.facts)),
        quotes.summaries and tr("shared-summaries", summaries=len(quotes.summaries)),
        quotes.profiles and tr("forget-profiles", profiles=len(quotes.profiles)),
    ]
    return comma_join(part for part in parts if part)


def format_forget_receipt(forget_result: ForgetResult) -> str:
    """Format the receipt of /forget, which says what was erased and where traces of it may remain."""
    if forget_result.is_empty:
        return tr("forget-gone")
    quotes = forget_result.quotes
    stays = [format_quote_counts(quotes), quotes.others and tr("shared-messages", messages=quotes.others)]
    left = comma_join(part for part in stays if part)
    rest = [tr("forget-words-stay", what=left)] if left else []
    rest += [tr("forget-words-may-stay")] if not quotes.others and not quotes.is_complete else []
    rest += [tr("forget-traces")] if not forget_result.is_clean else []
    aside = [tr("forget-kept-aside", names=comma_join(forget_result.kept_aside))] if forget_result.kept_aside else []
    receipt = " ".join([tr("forget-receipt", what=format_erasures(forget_result)), *(rest or [tr("forget-clean")])])
    return "\n".join([receipt, tr("forget-not-in-my-power"), *aside])


def format_summary_outcome(outcome: SummaryOutcome) -> str:
    match outcome.state:
        case "folded":
            return tr("summaries-folded", summaries=len(outcome.summaries))
        case "nothing" | "busy":
            return tr("summaries-nothing" if outcome.state == "nothing" else "summaries-busy")
        case "waiting" | "failed":
            return tr("summaries-failed", why=outcome.error or tr("summaries-not-made"))
