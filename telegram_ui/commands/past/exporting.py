"""/export: a memory as files, for its owner to read or for a machine. Owns its words and steps."""

from collections.abc import Iterator, Mapping

from locales.catalog import tr
from locales.lists import join_list
from telegram_ui.commands.family import Ask, Dependencies, Family, command, press
from telegram_ui.commands.wording import MAX_QUOTE_CHARS, format_quote
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.sending.delivery import ChatGone
from telegram_ui.sending.documents import Documents
from transfer.exporter import Exported

EXPORT = "exp"
MARKDOWN, JSON = "markdown", "json"


class ExportCommands(Family):
    """The family of /export."""

    heading = "data"

    def __init__(self, dependencies: Dependencies) -> None:
        super().__init__(dependencies)
        self._documents = Documents(self._delivery)

    @command("export", who="admins", queue="slow")
    async def _handle_export_command(self, ask: Ask) -> str | None:
        if (wanted := ask.argument.strip().lower()) in (MARKDOWN, JSON):
            return await self._send_files(ask, wanted)
        row = [
            self._make_button(ask, EXPORT, tr("transfer-for-me"), MARKDOWN),
            self._make_button(ask, EXPORT, tr("transfer-for-a-machine"), JSON),
        ]
        await self._show_text(ask, tr("transfer-for-whom"), row)
        return None

    @press(EXPORT, who="admins", queue="slow")
    async def _press_export(self, ask: Ask) -> None:
        if said := await self._send_files(ask, ask.argument):
            await self._delivery.say(ask.chat, said)

    async def _send_files(self, ask: Ask, wanted: str) -> str | None:
        """Send the files in private; what is to be said of it, if anything."""
        here = ask.chat
        if not here.is_private and ask.person.id == ANONYMOUS_ADMIN:
            return tr("transfer-anonymous")
        target = here if here.is_private else Chat(id=ask.person.id)
        exporter, owner = self._services.exporter, here.scope.owner
        async with exporter.readable(owner) if wanted == MARKDOWN else exporter.files(owner) as files:
            if not files:
                return tr("transfer-nothing")
            try:
                async with self._delivery.typing(target):
                    for file in files:
                        caption = " ".join([*_describe_owner(ask), make_caption(file)])
                        await self._documents.send(target, file.file, file.name, caption)
            except ChatGone:
                if here.is_private:
                    raise
                return tr("transfer-not-private")
        return None if here.is_private else tr("transfer-sent")


def _describe_owner(ask: Ask) -> list[str]:
    """Whose memory a file is, where it goes to another chat than its own. A caption has 1,024 characters (Bot API)."""
    chat = ask.update.effective_chat
    if ask.chat.is_private or chat is None:
        return []
    return [tr("transfer-of-group", title=format_quote(chat.title or "", 2 * MAX_QUOTE_CHARS))]


def list_counts(counts: Mapping[str, int]) -> Iterator[str]:
    """What there is of each kind, in words."""
    if number := counts.get("messages"):
        yield tr("shared-messages", messages=number)
    if number := counts.get("summaries"):
        yield tr("shared-summaries", summaries=number)
    if number := counts.get("facts"):
        yield tr("shared-facts", facts=number)


def make_caption(file: Exported) -> str:
    """What a file of an export holds, and who reads it."""
    what = join_list([*list_counts(file.counts)]) or tr("transfer-settings")
    for kind in ("zip", "html"):
        if file.name.endswith(f".{kind}"):
            return tr(f"transfer-caption-{kind}", what=what)
    return tr("transfer-caption", what=what)
