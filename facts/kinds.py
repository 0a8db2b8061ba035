"""Ask a model whether a line is a fact, a wish or a question, which small models recognise best line by line."""

import json
import re
from dataclasses import replace

from llm import prompts
from llm.meant_json import parse_json_leniently
from llm.quoting import quote_text
from records.facts import LASTING, NewFact
from records.model_calls import PromptMessage
from text.analyzer import split_words
from text.fingerprint import describes_change, make_fingerprint

KIND_SCHEMA = prompts.make_answer_schema("kind", prompts.TEXTS["kind_properties"])
NO_FACTS = ("ask", "nothing")  # the kinds of lines without a fact about anyone
NOT_SO = (*NO_FACTS, "wish", "maybe")  # also the kinds about things that are not true, or not yet


def make_kind_request(line: str) -> tuple[PromptMessage, ...]:
    """Build a request to classify a line. It has examples, since small models may mistake questions for facts."""
    request = [PromptMessage(role="system", content=prompts.TEXTS["find_kind"])]
    for example, kind in prompts.TEXTS["kinds_by_line"].items():
        request.append(PromptMessage(role="user", content=f"Line: {example}"))
        request.append(PromptMessage(role="assistant", content=json.dumps({"kind": kind})))
    return *request, PromptMessage(role="user", content=f"Line: {quote_text(line)}")


def parse_kind_of_line(answer: str) -> str:
    """Parse the kind (such as "fact" or "wish") from a model's answer. Return "" if the answer is unusable."""
    value = parse_json_leniently(answer)
    kind = str(value.get("kind")) if isinstance(value, dict) else ""
    return kind if kind in prompts.TEXTS["kind_properties"]["kind"]["enum"] else ""


def rewrite_or_drop_fact_by_kind(fact: NewFact, kind: str, speaker_name: str) -> NewFact | None:
    """Adapt a fact to the `kind` of its line. Return None for a question or empty talk, unless the fact is vital.

    A wish or a doubt becomes an uncertain fact that quotes the line, and neither ends nor replaces another fact. A fact
    whose line is "nothing" is kept if the line has a number, a date or a name, and an instruction only if it is a rule.
    Without an answer ("") about words behind a colon, the fact replaces no other and overrules no decision; if the
    model gave it no type either, it only quotes its line, unless this announces a change.
    """
    # Small models call nearly every fact an instruction, and "if it rains I might take the bus", too.
    if fact.kind == "instruction" and (kind == "fact" or (kind == "maybe" and fact.is_uncertain)):
        fact = replace(fact, kind="personal", subject=fact.key if fact.only_one else "")
    subject = fact.subject if fact.kind in LASTING else ""  # of an instruction, the requests that it is for
    quoted = replace(
        fact,
        text=f"{speaker_name}: {fact.line}",
        quote=fact.line,
        unsaid=frozenset(),
        subject=subject,
        known=(),
        only_one=False,
        valid_to=None,
    )
    if fact.is_introduced and not kind and not _announces_change(fact):
        return replace(fact if fact.is_typed else quoted, known=(), only_one=False, is_in_question=True)
    if fact.is_introduced and kind in NO_FACTS:
        return replace(quoted, is_in_question=True) if kind != "ask" or fact.importance == 1 else None
    told = make_fingerprint(fact.line.partition(" ")[2])  # without the first word, which may begin with a capital
    has_detail = bool(told.numbers or told.dates or told.names)
    if kind not in NOT_SO or (kind in NO_FACTS and fact.importance == 1) or (kind == "nothing" and has_detail):
        return fact
    return None if kind in NO_FACTS else replace(quoted, is_uncertain=True)


def _announces_change(fact: NewFact) -> bool:
    """Return True for a change behind at most two words and a colon, as in "Update: I live in Porto now"."""
    introduction, *_ = re.split("[:：]", fact.line, maxsplit=1)
    return (describes_change(fact.line) or bool(fact.known and fact.is_change)) and len(split_words(introduction)) <= 2
