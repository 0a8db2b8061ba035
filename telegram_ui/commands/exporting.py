"""/export: exports a memory as files, for people to read or for programs to import."""

from locales.catalog import comma_join, tr
from telegram_ui.commands.command_group import Action, ChatEvent, Command, CommandGroup, HandlerReply
from telegram_ui.commands.wording import MAX_QUOTE_CHARS, format_quote
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat
from telegram_ui.sending.documents import send_file
from transfer.exporter import ExportedFile

EXPORT = "exp"
MARKDOWN, JSON = "markdown", "json"


class ExportCommands(CommandGroup):
    heading = "data"

    @Command("export", who="admins", queue="slow")
    async def _offer_or_send_export(self, event: ChatEvent) -> HandlerReply:
        if (wanted := event.argument.strip().lower()) in (MARKDOWN, JSON):
            return await self._send_files(event, wanted)
        for_me = self._make_button(event, EXPORT, tr("transfer-for-me"), MARKDOWN)
        for_machine = self._make_button(event, EXPORT, tr("transfer-for-a-machine"), JSON)
        return await self._show_text(event, tr("transfer-for-whom"), [for_me, for_machine])

    @Action(EXPORT, who="admins", queue="slow")
    async def _send_chosen_files(self, event: ChatEvent) -> None:
        if sentence := await self._send_files(event, event.argument):
            await self._send_new(event, sentence)

    async def _send_files(self, event: ChatEvent, export_format: str) -> HandlerReply:
        """Send the exported files to the person's private chat. Return a reply to the command, or None."""
        here = event.chat
        if not here.is_private and event.person.id == ANONYMOUS_ADMIN:
            return tr("transfer-anonymous")
        group, of_group = event.update.effective_chat, ""
        if not here.is_private and group is not None:
            # Shortened, since a caption has at most 1,024 characters (Bot API).
            of_group = f"{tr('transfer-of-group', title=format_quote(group.title or '', 2 * MAX_QUOTE_CHARS))} "
        exporter, owner = self._services.exporter, here.scope.owner
        await self._services.distiller.correct_profile_if_stale(owner)
        async with (
            exporter.export_for_people(owner) if export_format == MARKDOWN else exporter.export_files(owner) as files
        ):
            if not files:
                return tr("transfer-nothing")

            async def send_all_files(chat: Chat) -> None:
                async with self._delivery.show_typing(chat):
                    for file in files:
                        caption = f"{of_group}{make_export_caption(file)}"
                        await send_file(self._delivery, chat, file.file, file.name, caption)

            return await self._send_to_private_chat(event, "/export", send_all_files)


def make_export_caption(file: ExportedFile) -> str:
    counted = [kind for kind in ("messages", "summaries", "facts") if file.counts.get(kind)]
    what = comma_join(tr(f"shared-{kind}", **{kind: file.counts[kind]}) for kind in counted) or tr("transfer-settings")
    for kind in ("zip", "html"):
        if file.name.endswith(f".{kind}"):
            return tr(f"transfer-caption-{kind}", what=what)
    return tr("transfer-caption", what=what)
