"""The instructions from prompts.toml, and functions that format remembered text, quoted as data (see quoting.py)."""

import tomllib
from calendar import day_abbr, day_name
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from itertools import groupby
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from llm.quoting import BlockName, escape_tags, format_block, quote_message, quote_name, quote_text
from records.context import RecalledFact, Snippet
from records.facts import Fact
from records.messages import Message, find_ids_edited_after_answer
from records.owners import MAX_PERSONA_CHARS, OWN_PERSONA, OwnerConfig
from records.summaries import Summary
from records.turns import ReplyTarget
from text.time_zones import format_zone_name
from text.written_dates import find_iso_dates

FOLD_VERSION = "fold-8"
MAX_PROFILE_WORDS = 400  # words of the document about an owner

FoldKind = Literal["conversation", "summaries", "rolling", "sliding"]
"""Kinds of folds: messages; summaries; a summary and what was said since; or that while some messages are dropped."""

TEXTS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8"))
READER: str = TEXTS["reader"]
PERSONAS: Mapping[str, str] = TEXTS["personas"]
TOOLS: Mapping[str, Mapping[str, Any]] = TEXTS["tools"]
FACT_PROPERTIES: Mapping[str, object] = TEXTS["fact_properties"]
PROFILE_SECTIONS = ("profile", "preferences", "ongoing_topics", "key_history")  # in the model's answer
ARCHIVED_RESULT = "[archived result, ask again]"  # replaces the result of a tool call in later prompts
PROPOSED = "[proposed to the user by a button]"  # replaces a proposal's result, so that it is not proposed again
EDITED = "[edited after the answer, which is to the words before]"
PROPOSED_NOTE = ": proposed"  # ends the stored note of a proposal


def make_object_schema(properties: Mapping[str, object]) -> Mapping[str, object]:
    return {"type": "object", "additionalProperties": False, "required": [*properties], "properties": properties}


def make_answer_schema(name: str, properties: Mapping[str, object]) -> Mapping[str, object]:
    """Return an answer schema in the form that a `response_format` of type json_schema requires."""
    return {"name": name, "strict": True, "schema": make_object_schema(properties)}


def format_command_list(commands: Mapping[str, str], *, is_memory_on: bool = True) -> str:
    """Return the part of the system prompt about memory and the bot's commands, or "" if there are no commands."""
    powers = TEXTS["powers"].format(memory=TEXTS["remembers" if is_memory_on else "forgets"])
    return "\n".join([powers, *(f"/{name} – {does}" for name, does in commands.items())]) if commands else ""


def format_elapsed_time(moment: datetime, now: datetime) -> str:
    """Format the time that has passed since `moment` in its largest unit, as in "today" or "5 weeks ago"."""
    days = (now.date() - moment.date()).days
    for unit, size, least in (("year", 365, 730), ("month", 30, 60), ("week", 7, 14), ("day", 1, 2)):
        if days >= least:
            return f"{days // size} {unit}s ago"
    return "yesterday" if days == 1 else "today"


def get_speaker_name(message: Message) -> str:
    return quote_name(message.speaker) or ("Assistant" if message.role == "assistant" else "User")


def split_into_heading_and_text(line: str) -> tuple[str, str]:
    """Split a line like "[2026-05-03 14:02] text" into its heading, or "", and the rest."""
    heading, bracket, rest = line[1:].partition("]")
    is_heading = line.startswith("[") and bracket and len(heading) <= 80
    if not is_heading or not (heading.startswith("fact ") or any(find_iso_dates(heading[:10]))):
        return "", line
    return heading, rest.removeprefix(" ")


def prepend_speaker_name(name: str, text: str) -> str:
    return f"{quote_name(name) or 'User'}: {text}"


def make_summary_instructions(
    kind: FoldKind, *, max_tokens: int, blocks: Collection[BlockName] = (), wishes: str = "", faults: Sequence[str] = ()
) -> str:
    """Return the system prompt for making a summary. `faults` are the reasons why the last attempt was rejected."""
    rules = TEXTS["fold_rules"].format(opening=TEXTS["fold_opening"][kind], words=max(20, max_tokens * 3 // 5))
    rules = "\n".join([rules, *(rule for name, rule in TEXTS["fold_blocks"].items() if name in blocks)])
    parts = [rules]
    if wishes:
        parts.append(f"The owner of this memory also wishes, as far as these rules allow:\n{quote_text(wishes)}")
    if faults:
        parts.append(f"An earlier attempt was refused: {'; '.join(faults)}. Write it again, without that.")
    return "\n\n".join(parts)


def format_message(message: Message, zone: tzinfo = UTC) -> str:
    when = message.created_at.astimezone(zone)
    day = f"{when.date()} {day_abbr[when.weekday()]}"  # for "next Friday"
    return f"[{day} {when:%H:%M}] {format_message_with_speaker(message, message.content)}"


def mark_corrected_messages(messages: Sequence[Message], facts: Sequence[Fact] = ()) -> list[Message]:
    """Return the messages. Add notes to those edited after their answer, and those whose facts the owner rewrote."""
    notes = dict.fromkeys(find_ids_edited_after_answer(messages), f"\n{EDITED}")
    by_id = {message.id: message for message in messages}
    for fact in (fact for fact in facts if fact.origin == "owner"):
        edited_at = min(fact.observed_at, fact.decided_at or fact.observed_at)  # before it was said again, or pinned
        for source in (by_id[number] for number in fact.source_ids if number in by_id):
            # The words of an older message stay older if others of it are edited later.
            if source.created_at <= edited_at and (source.edited_at is None or fact.quote in source.content):
                notes[source.id] = f"{notes.get(source.id, '')}\n[the user keeps of this: {fact.text}]"
    return [replace(said, content=said.content + notes[said.id]) if said.id in notes else said for said in messages]


def format_summary(summary: Summary, zone: tzinfo = UTC, *, is_numbered: bool = False) -> str:
    """Format a summary with its period and, if `is_numbered`, the numbers of its messages."""
    first, last = summary.first_at.astimezone(zone).date(), summary.last_at.astimezone(zone).date()
    span = f"{first}" if first == last else f"{first} to {last}"
    numbers = f" · messages #{summary.first_id} to #{summary.last_id}" if is_numbered else ""
    return f"[{span}{numbers}] {quote_text(summary.text)}"


def format_snippet_heading(moment: datetime, now: datetime) -> str:
    """Return the heading for one day's snippets, in the time zone of `now`."""
    local = moment.astimezone(now.tzinfo)
    return f"{local.date()} ({format_elapsed_time(local, now)})"


def format_message_with_speaker(message: Message, text: str) -> str:
    return f"{get_speaker_name(message)}: {quote_message(message, text)}"


def format_numbered_message(message: Message, text: str, day: str = "") -> str:
    """Format a message with its number and, if given, the day on which it was sent."""
    return " ".join(filter(None, [f"#{message.id}", day, format_message_with_speaker(message, text)]))


def format_snippets_by_day(
    snippets: Sequence[Snippet], now: datetime, format_line: Callable[[Message, str], str] = format_message_with_speaker
) -> list[tuple[list[Snippet], str]]:
    """Group snippets by day, and return each group with its text for the prompt."""
    zone = now.tzinfo
    made = []
    for _, same_day in groupby(snippets, key=lambda snippet: snippet.message.created_at.astimezone(zone).date()):
        group = list(same_day)
        lines = [format_line(snippet.message, snippet.text) for snippet in group]
        made.append((group, "\n".join([format_snippet_heading(group[0].message.created_at, now), *lines])))
    return made


def describe_owner(owner: int) -> str:
    """Return the phrase for an owner in instructions: "the user" or "the people of this group"."""
    return "the user" if owner > 0 else "the people of this group"


def format_known_fact(fact: Fact) -> str:
    state = "since" if fact.is_valid else "withdrawn by hand, since"
    attribute = f" ({quote_text(fact.subject)})" if fact.subject else ""
    return f"{fact.id} · {state} {fact.valid_from.date()}{attribute}: {quote_text(fact.text)}"


def format_message_for_extraction(message: Message, said_at: datetime, text: str) -> str:
    """Format a user's message with its number for extraction. `said_at` is in the user's time zone."""
    when = f"{said_at:%Y-%m-%d %H:%M}, {day_name[said_at.weekday()]}"
    return f"#{message.id} [{when}] {get_speaker_name(message)}: {quote_message(message, text)}"


def make_facts_request(known_facts: Sequence[str], lines: Sequence[str]) -> str:
    parts = [format_block("known", known_facts)] if known_facts else []
    return "\n\n".join([*parts, format_block("conversation", lines)])


def make_profile_request(
    previous_profile: str, summaries: Iterable[str], facts: Iterable[str], superseded_facts: Iterable[str]
) -> str:
    parts = [format_profile(previous_profile)] if previous_profile else []
    parts += [format_block("superseded", map(quote_text, superseded_facts))] if superseded_facts else []
    parts += [format_block("summaries", summaries)] if summaries else []
    parts += [format_block("facts", facts)] if facts else []
    return "\n\n".join(parts)


def format_profile(text: str) -> str:
    return format_block("profile", [escape_tags(text)])


def format_fact(fact: Fact, zone: tzinfo = UTC) -> str:
    until = f"only until {fact.valid_to.astimezone(zone).date()}, " if fact.valid_to is not None else ""
    return f"[fact {fact.id} · {until}said {fact.observed_at.astimezone(zone).date()}] {quote_text(fact.text)}"


def format_recalled_fact(recalled: RecalledFact, zone: tzinfo = UTC) -> str:
    earlier = [format_fact(recalled.earlier, zone)] if recalled.earlier is not None else []
    return "\n".join([*earlier, format_fact(recalled.fact, zone)])


def format_remembered_snippets(
    snippets: Sequence[Snippet], now: datetime, format_line: Callable[[Message, str], str] = format_message_with_speaker
) -> str:
    return format_block("remembered", (text for _, text in format_snippets_by_day(snippets, now, format_line)))


def format_current_time(now: datetime) -> str:
    zone = format_zone_name(now.tzinfo.key) if isinstance(now.tzinfo, ZoneInfo) else "UTC"
    return f"It is now {now:%Y-%m-%d %H:%M} {zone}. Today is {day_name[now.weekday()]}."


def make_reminder_request(text: str, now: datetime) -> str:
    block = format_block("conversation", [quote_text(text)])
    return "\n\n".join([TEXTS["read_reminder"], format_current_time(now), block])


def format_replied_message(reply_target: ReplyTarget) -> str:
    who = quote_name(reply_target.speaker) or ("User" if reply_target.speaker else "Assistant")
    return format_block("replied", [f"{who}: {quote_text(reply_target.text)}"])


def format_document(passages: Iterable[str]) -> str:
    return format_block("document", map(quote_text, passages))


def make_picture_request(caption: str) -> str:
    describe: str = TEXTS["describe"]
    asked = describe.format(language=", in the language of the words that came with it" if caption.strip() else "")
    return f"{asked}\n\n{format_block('conversation', [quote_text(caption[:300])])}" if caption.strip() else asked


def add_persona_to_system_prompt(system_prompt: str, config: OwnerConfig | None) -> str:
    if config is None or not config.persona:
        return system_prompt
    manner = PERSONAS.get(config.persona, "")
    if config.persona == OWN_PERSONA and config.persona_text:
        manner = f"The user asks you to answer in this manner: {quote_text(config.persona_text[:MAX_PERSONA_CHARS])}"
    return "\n\n".join(text for text in (system_prompt, manner) if text)


def make_title_request(messages: Iterable[Message], *, max_chars: int) -> str:
    """Return a request for a conversation's title, with each message cut to `max_chars` characters."""
    lines = [format_message_with_speaker(message, message.content[:max_chars]) for message in messages]
    return f"{TEXTS['name']}\n\n{format_block('conversation', lines)}"


def make_last_message(*, facts: str = "", snippets: str, instructions: str = "", current_time: str, text: str) -> str:
    """Join the parts of the newest user message, which changes every turn."""
    data = "\n".join(part for part in (facts, snippets, instructions, current_time) if part)
    return "\n\n".join(part for part in (data, text) if part)
