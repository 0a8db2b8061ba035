"""What the last answers were made from: tokens by part, and everything that was brought back, with the reason.

Owns its form. Does not know where explanations are kept (chat/explanations.py).
"""

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

ANSWERS = 10  # of one page
MAX_RECENT = 100  # messages of the talk just before an answer that are told


@define(kw_only=True, eq=False)
class Why:
    """Handle api/why."""

    _services: Services

    async def answers(self, visit: Visit) -> Answer:
        before = visit.asked.optional("before")
        found = await self._services.explanations.explain_latest(visit.scope, before=before, limit=ANSWERS + 1)
        ids = [number for number, _ in found if number is not None]
        async with self._services.memory.home(visit.owner) as store:
            said = {message.id: message for message in await store.read_messages(visit.scope, ids)}
            turns = {one.turn: await store.read_turn(visit.scope, one.turn) for one in said.values()}
        shown = found[:ANSWERS]
        return {
            "answers": [
                _format_explanation(number, one, _find_turn(said.get(number), turns) if number is not None else ())
                for number, one in shown
            ],
            "next": shown[-1][0] if len(found) > ANSWERS else None,
        }


def _find_turn(answer: Message | None, turns: dict[int, list[Message]]) -> Sequence[Message]:
    return turns[answer.turn] if answer is not None else ()


def _format_explanation(number: int | None, explanation: Explanation, turn: Sequence[Message]) -> Json:
    """`turn`: the messages of the answer's turn; none where the answer is in no store."""
    record = explanation.record
    asked = [one.content for one in turn if one.is_user]
    said = [one.content for one in turn if one.id == number]
    return {
        "id": number,
        "question": "\n".join(asked)[: forms.TEXT_SHOWN] or None,
        "answer": "".join(said)[: forms.TEXT_SHOWN] or None,
        "at": record.at.isoformat(),
        "lost": "" if record.is_known else tr("why-lost"),
        "model": record.model,
        "ceiling": record.ceiling,
        "tokens": record.tokens,
        "whole": record.whole,
        "saved": record.saved,
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
        "looked_up": [forms.format_message(one) if one else None for one in explanation.looked_up],
        "summaries": [forms.format_summary(summary) for summary in explanation.summaries],
        "recent": [forms.format_message(one) for one in explanation.recent[-MAX_RECENT:]],
        "cut": format_left_out(record.cut, is_message_cut=record.message_was_cut),
    }
