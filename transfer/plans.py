"""What comes with a file that is imported, what is asked about it, what its import would do and what it did: in values,
and in words.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from locales.catalog import format_day, tr
from locales.lists import join_all
from transfer.formats.history import ImportQuestion


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportPlan:
    """What an import would do. `is_restored`: our own export comes back as it was. `missing`: which of its files are
    still to come then. `facts`: how many the file holds. `ids`: first and last of the file's history in the memory,
    where all of it is known. `reminders`: how many would be set. `questions`: what the person decides first.
    `instructions`: what the bot would follow from now on.
    """

    name: str
    total: int
    known: int
    first_at: datetime | None
    last_at: datetime | None
    notes: tuple[str, ...]
    facts: int
    new_facts: int
    is_restored: bool
    turns_on: bool
    missing: str = ""
    ids: tuple[int, int] | None = None
    reminders: int = 0
    questions: tuple[ImportQuestion, ...] = ()
    instructions: tuple[str, ...] = ()

    @property
    def new(self) -> int:
        return self.total - self.known

    @property
    def has_new(self) -> bool:
        return bool(self.is_restored or self.new or self.new_facts or self.reminders)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileContext:
    """What else comes with a file. `name`: as it was sent, "" for a pasted text; `bot`: the Telegram id of this bot;
    `answers`: to the questions of an earlier plan, by their keys.
    """

    name: str = ""
    bot: int = 0
    answers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


NOTHING_GIVEN = FileContext()


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What an import did. `ids`: first and last of the file's history, whichever run brought it in; None: restored.
    `missing`: which files of a restore are still to come.
    """

    messages: int
    known: int
    facts: int
    is_restored: bool
    missing: str = ""
    ids: tuple[int, int] | None = None


def format_question(question: ImportQuestion, chosen: Collection[int], heading: str) -> str:
    """Format a question about a file, below a heading."""
    parts = [heading, tr(f"import-ask-{question.name}")]
    if question.is_long:
        marks = ("✓" if number in chosen else "–" for number in range(len(question.options)))
        pairs = zip(marks, question.options, strict=True)
        parts.append("\n".join(f"{number} {mark} {text}" for number, (mark, text) in enumerate(pairs, start=1)))
    return "\n\n".join(parts)


def format_plan(plan: ImportPlan, *, with_instructions: bool = True) -> str:
    """Format what an import would do, in figures, and the instructions that it holds."""
    counted = _counted(plan.total, plan.facts) if plan.total or plan.facts else ""
    lines = [tr("transfer-plan" if counted else "transfer-plan-none", name=plan.name, what=counted)]
    if plan.is_restored and plan.missing:
        lines.append(tr("transfer-plan-part", missing=plan.missing))
    elif plan.is_restored:
        lines.append(tr("transfer-plan-whole"))
    elif plan.new:
        lines.append(" ".join([_format_added(plan), *_known(plan.known)]))
        lines.append(tr("transfer-as-history"))
    elif plan.new_facts:
        lines.append(" ".join([tr("transfer-adds", what=_counted(0, plan.new_facts)), *_known(plan.known)]))
    elif plan.total or plan.facts:
        lines.append(tr("transfer-all-known"))
    else:
        lines.append(tr("transfer-empty"))
    if plan.new and plan.facts and not plan.is_restored:
        lines.append(tr("transfer-new-facts", facts=plan.new_facts))
    if plan.reminders:
        lines.append(tr("transfer-plan-reminders", reminders=plan.reminders))
    lines += plan.notes
    if plan.instructions and with_instructions:
        lines.append("\n".join([format_instructions_heading(plan), *plan.instructions]))
    if plan.turns_on and plan.has_new:
        lines.append(tr("transfer-turns-on"))
    return "\n\n".join(lines)


def format_instructions_heading(plan: ImportPlan) -> str:
    return tr("import-instructions", count=len(plan.instructions))


def format_done(done: Imported) -> str:
    """Format what an import did."""
    if done.missing:
        return tr("transfer-done-part", messages=done.messages, missing=done.missing)
    if done.is_restored:
        return tr("transfer-done-whole", messages=done.messages)
    told = tr("transfer-done", what=_counted(done.messages, done.facts))
    return " ".join([told, *_known(done.known), tr("transfer-ask-me")])


def _known(count: int) -> list[str]:
    return [tr("transfer-known", messages=count)] if count else []


def _counted(messages: int, facts: int) -> str:
    counts = [tr("shared-messages", messages=messages)] if messages or not facts else []
    return join_all([*counts, *([tr("shared-facts", facts=facts)] if facts else [])])


def _format_added(plan: ImportPlan) -> str:
    """Format how many messages would be added, with their dates."""
    ends = [one.astimezone(UTC).date() for one in (plan.first_at, plan.last_at) if one]
    days = dict.fromkeys(format_day(end, with_year=True) for end in ends)
    return tr("transfer-adds-dated", what=_counted(plan.new, 0), when=" – ".join(days))
