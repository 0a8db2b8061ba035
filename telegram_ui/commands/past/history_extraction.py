"""Learning facts from imported history, offered under the receipt of an import and controlled by its buttons."""

from telegram import InlineKeyboardButton

from locales.catalog import tr
from telegram_ui.commands.family import Ask, Family, press

LEARN, STOP = "stu", "stn"

Row = list[InlineKeyboardButton]


class HistoryExtractionCommands(Family):
    """Answers the buttons that start and stop learning from an import."""

    async def make_offer(self, ask: Ask, ids: tuple[int, int]) -> tuple[str, Row] | None:
        """Return the estimated cost of learning from these messages and a button, or None if nothing can be learned."""
        estimate = await self._services.history_extraction.estimate(ask.chat.scope.owner, *ids)
        if estimate is None:
            return None
        messages, requests, tokens = estimate.messages, estimate.requests, estimate.tokens
        text = tr("learning-what-it-takes", messages=messages, requests=requests, tokens=tokens)
        return text, self._make_row(ask, LEARN, tr("learning-offer"), ids)

    @press(LEARN, who="admins")
    async def _begin_learning(self, ask: Ask) -> str | None:
        ids = _parse_ids(ask.argument)
        match await self._services.history_extraction.begin(ask.chat.scope.owner, *ids):
            case "busy":
                return tr("learning-busy")
            case "off":
                return tr("learning-off")
            case "nothing":
                await self._replace_learning_part(ask, tr("learning-nothing"), [])
            case "begun":
                await self._replace_learning_part(
                    ask, tr("learning-begun"), self._make_row(ask, STOP, tr("answers-stop"), ids)
                )
        return None

    @press(STOP, who="admins")
    async def _stop_learning(self, ask: Ask) -> None:
        await self._services.history_extraction.stop(ask.chat.scope.owner)
        row = self._make_row(ask, LEARN, tr("answers-continue"), _parse_ids(ask.argument))
        await self._replace_learning_part(ask, tr("learning-stopped"), row)

    async def _replace_learning_part(self, ask: Ask, text: str, row: Row) -> str | None:
        """Replace the last paragraph of the receipt, which is about learning."""
        receipt = ask.message_text.rpartition("\n\n")[0]
        return await self._show_text(ask, "\n\n".join(part for part in (receipt, text) if part), row)

    def _make_row(self, ask: Ask, kind: str, label: str, ids: tuple[int, int]) -> Row:
        return [self._make_button(ask, kind, label, f"{ids[0]}.{ids[1]}")]


def _parse_ids(argument: str) -> tuple[int, int]:
    first, _, last = argument.partition(".")
    return int(first), int(last)
