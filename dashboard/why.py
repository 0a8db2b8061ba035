"""Show what the latest answers were made from: tokens by part, and recalled texts with reasons."""

from collections.abc import Sequence

from attrs import define

from chat.explanations import Explanation
from chat.services import Services
from dashboard import forms
from dashboard.forms import Json
from dashboard.visits import Answer, Visit
from locales.catalog import tr
from locales.told import format_left_out, format_reason, name_part
from records.messages import Message

PAGE_SIZE = 10  # answers
MAX_RECENT = 100  # messages just before an answer


@define(kw_only=True, eq=False)
class Why:
    """Handle api/why."""

    _services: Services

    async def list_answers(self, visit: Visit) -> Answer:
        """Return a page of explanations, newest first."""
        before = visit.parameters.read_optional_integer("before")
        found = await self._services.explanations.explain_latest(visit.scope, before=before, limit=PAGE_SIZE + 1)
        ids = [number for number, _ in found if number is not None]
        turns: dict[int | None, Sequence[Message]] = {}
        async with self._services.memory.home(visit.owner) as store:
            for answer in await store.read_messages(visit.scope, ids):
                turns[answer.id] = await store.read_turn(visit.scope, answer.turn)
        shown = found[:PAGE_SIZE]
        return {
            "answers": [
                _format_explanation(number, explanation, turns.get(number, ())) for number, explanation in shown
            ],
            "next": shown[-1][0] if len(found) > PAGE_SIZE else None,
        }


def _format_explanation(number: int | None, explanation: Explanation, turn: Sequence[Message]) -> Json:
    record = explanation.record
    question = "\n".join(message.content for message in turn if message.is_user)
    answer = "".join(message.content for message in turn if message.id == number)
    return {
        **forms.pick(record, "at", "model", "ceiling", "tokens", "whole", "saved"),
        "id": number,
        "question": question[: forms.MAX_SHOWN_CHARS] or None,
        "answer": answer[: forms.MAX_SHOWN_CHARS] or None,
        "lost": "" if record.is_known else tr("why-lost"),
        "parts": [
            {
                "name": part.name,
                "label": name_part(part.name),
                "tokens": part.tokens,
                "budget": part.budget if part.budget and part.name != "message" else None,
            }
            for part in record.parts
            if part.tokens
        ],
        "profile": explanation.profile.text if explanation.profile else None,
        "facts": [
            {
                "text": fact.text if fact else None,
                "since": fact.valid_from.isoformat() if fact else None,
                "why": format_reason(chosen.score, least=0),
                "replaced": earlier.text
                if fact and chosen.mark == "changed" and (earlier := explanation.earlier.get(fact.id))
                else None,
            }
            for fact, chosen in explanation.facts
        ],
        "snippets": [
            {"message": forms.format_message(message) if message else None, "why": format_reason(chosen.score)}
            for message, chosen in explanation.snippets
        ],
        "looked_up": [forms.format_message(message) if message else None for message in explanation.looked_up],
        "summaries": [forms.format_summary(summary) for summary in explanation.summaries],
        "recent": [forms.format_message(message) for message in explanation.recent[-MAX_RECENT:]],
        "cut": format_left_out(record.cut, is_message_cut=record.message_was_cut),
    }
