"""Words → the reminder that they ask for: by their plain forms, else by a model that answers with JSON."""

import json
import logging
from collections.abc import Mapping
from datetime import datetime

from attrs import define

from llm import prompts
from llm.chat_model import ChatModel
from llm.quota import Quota
from locales.catalog import tr
from records.errors import KeepsakeError
from records.model_calls import PromptMessage
from records.reminders import FARTHEST_DAYS, REPEATS, Wish
from reminders.wishes import LONGEST, plain, wish_of

log = logging.getLogger(__name__)

SCHEMA: Mapping[str, object] = {
    "name": "reminder",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["text", "at", "in_minutes", "repeat"],
        "properties": {
            "text": {"type": "string"},
            "at": {"type": ["string", "null"]},
            "in_minutes": {"type": ["integer", "null"]},
            "repeat": {"type": "string", "enum": ["none", *REPEATS]},
        },
    },
}
"""The answer's shape, as `response_format` of type json_schema takes it."""


@define(kw_only=True, eq=False)
class WishReader:
    """Reads reminders. `model`: the one for background work, on the person's quota."""

    _model: ChatModel
    _quota: Quota

    async def wished(self, person: int, said: str, now: datetime) -> Wish | str:
        """The reminder that the words ask for; a sentence that says why there is none. `now` as for `read`."""
        wish = plain(said, now) or await self.read(person, said, now)
        if isinstance(wish, str):
            passed = tr("reminders-passed")
            return passed if wish == "passed" else tr(f"reminders-impossible-{wish}", years=FARTHEST_DAYS // 366)
        return wish or tr("reminders-how")

    async def read(self, person: int, said: str, now: datetime) -> Wish | None:
        """The reminder that the words ask for; None where a model cannot be asked, or finds none to come. `now`: aware,
        in the person's zone.
        """
        asked = PromptMessage(role="user", content=prompts.read_reminder(said[:LONGEST], now))
        try:
            answer = await self._quota.complete(person, self._model, [asked], schema=SCHEMA)
            given = json.loads(answer.text)
        except (KeepsakeError, ValueError, RecursionError) as error:
            log.info("a reminder could not be read: %s", type(error).__name__)
            return None
        return wish_of(given, now) if isinstance(given, dict) else None
