"""The plan and the result of an import, and the texts that describe them to people."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from locales.catalog import format_day, join_with_and, tr
from transfer.formats.history import ImportQuestion


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportPlan:
    """The expected effects of an import: what is new, what is already stored, and the open questions."""

    name: str
    total: int
    known: int
    first_at: datetime | None
    last_at: datetime | None
    notes: tuple[str, ...]
    facts: int
    new_facts: int
    is_restored: bool  # True if an export of ours is restored as it was
    turns_on: bool
    missing_parts_text: str = ""  # the files of a restore that are still missing
    ids: tuple[int, int] | None = None  # first and last stored id, if the whole file is known
    reminders: int = 0
    questions: tuple[ImportQuestion, ...] = ()
    instructions: tuple[str, ...] = ()  # what the bot would follow from now on

    @property
    def new_message_count(self) -> int:
        return self.total - self.known

    @property
    def has_anything_new(self) -> bool:
        return bool(self.is_restored or self.new_message_count or self.new_facts or self.reminders)


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportResult:
    """The results of an import: how many messages and facts were added or already stored."""

    messages: int
    known: int
    facts: int
    is_restored: bool
    missing_parts_text: str = ""  # the files of a restore that are still missing
    ids: tuple[int, int] | None = None  # first and last id of the file's messages, None after a restore


def format_question(question: ImportQuestion, chosen_indexes: Collection[int], heading: str) -> str:
    parts = [heading, tr(f"import-ask-{question.name}")]
    if question.is_long:
        marks = ("✓" if number in chosen_indexes else "–" for number in range(len(question.options)))
        pairs = zip(marks, question.options, strict=True)
        parts.append("\n".join(f"{number} {mark} {text}" for number, (mark, text) in enumerate(pairs, start=1)))
    return "\n\n".join(parts)


def format_plan(plan: ImportPlan, *, with_instructions: bool = True) -> str:
    counted = _format_counts(plan.total, plan.facts) if plan.total or plan.facts else ""
    lines = [tr("transfer-plan" if counted else "transfer-plan-none", name=plan.name, what=counted)]
    if plan.is_restored and plan.missing_parts_text:
        lines.append(tr("transfer-plan-part", missing=plan.missing_parts_text))
    elif plan.is_restored:
        lines.append(tr("transfer-plan-whole"))
    elif plan.new_message_count or plan.new_facts:
        ends = [moment.astimezone(UTC).date() for moment in (plan.first_at, plan.last_at) if moment]
        days = " – ".join(dict.fromkeys(format_day(end, with_year=True) for end in ends))
        what = _format_counts(plan.new_message_count, 0 if plan.new_message_count else plan.new_facts)
        added = tr("transfer-adds-dated", what=what, when=days) if days else tr("transfer-adds", what=what)
        lines.append(" ".join([added, *_format_known_message_count(plan.known)]))
        lines += [tr("transfer-as-history")] if plan.new_message_count else []
    elif plan.total or plan.facts:
        lines.append(tr("transfer-all-known"))
    else:
        lines.append(tr("transfer-empty"))
    if plan.new_message_count and plan.facts and not plan.is_restored:
        lines.append(tr("transfer-new-facts", facts=plan.new_facts))
    if plan.reminders:
        lines.append(tr("transfer-plan-reminders", reminders=plan.reminders))
    lines += plan.notes
    if plan.instructions and with_instructions:
        lines.append("\n".join([format_instructions_heading(plan), *plan.instructions]))
    if plan.turns_on and plan.has_anything_new:
        lines.append(tr("transfer-turns-on"))
    return "\n\n".join(lines)


def format_instructions_heading(plan: ImportPlan) -> str:
    return tr("import-instructions", count=len(plan.instructions))


def format_import_result(import_result: ImportResult) -> str:
    if import_result.missing_parts_text:
        return tr("transfer-done-part", messages=import_result.messages, missing=import_result.missing_parts_text)
    if import_result.is_restored:
        return tr("transfer-done-whole", messages=import_result.messages)
    told = tr("transfer-done", what=_format_counts(import_result.messages, import_result.facts))
    return " ".join([told, *_format_known_message_count(import_result.known), tr("transfer-ask-me")])


def _format_known_message_count(count: int) -> list[str]:
    return [tr("transfer-known", messages=count)] if count else []


def _format_counts(messages: int, facts: int) -> str:
    counts = [tr("shared-messages", messages=messages)] if messages or not facts else []
    return join_with_and([*counts, *([tr("shared-facts", facts=facts)] if facts else [])])
