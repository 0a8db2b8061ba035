"""All families of commands, and the dispatch of commands, presses, texts and files to them."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import partial

import telegram
from telegram.error import TelegramError

from locales.catalog import ENGLISH, LANGUAGES, choose_language, tr, use_language
from records.errors import KeepsakeError, StorageError
from records.scopes import Person
from telegram_ui.commands.admin import AdminCommands
from telegram_ui.commands.answer_buttons import AnswerButtons
from telegram_ui.commands.basics import Basics, make_private_menu
from telegram_ui.commands.broadcast import Broadcasting
from telegram_ui.commands.buttons import ForeignButton, is_for_anonymous_admin, parse_button_kind
from telegram_ui.commands.chats import ChatsCommands
from telegram_ui.commands.choices import ChoiceCommands
from telegram_ui.commands.dashboard import DashboardCommands
from telegram_ui.commands.exporting import ExportCommands
from telegram_ui.commands.family import Ask, Command, Dependencies, Family, NextText, Press
from telegram_ui.commands.forget import ForgetCommands
from telegram_ui.commands.importing import TransferCommands
from telegram_ui.commands.memory import MemoryCommands
from telegram_ui.commands.models import ModelCommands
from telegram_ui.commands.proposals import Proposals
from telegram_ui.commands.reminders import ReminderCommands
from telegram_ui.commands.search import SearchCommands
from telegram_ui.commands.summaries import SummaryCommands
from telegram_ui.commands.usage import UsageCommands
from telegram_ui.commands.why import WhyCommands
from telegram_ui.commands.wizard import CANCEL, Wizard
from telegram_ui.commands.wording import set_reference_time
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat, Ephemeral

log = logging.getLogger(__name__)

FAMILIES: tuple[type[Family], ...] = (
    *(Basics, Wizard, ChoiceCommands, ModelCommands, ChatsCommands, SummaryCommands, MemoryCommands, WhyCommands),
    *(SearchCommands, DashboardCommands, ReminderCommands, UsageCommands, ExportCommands, TransferCommands),
    *(ForgetCommands, AdminCommands, Broadcasting, AnswerButtons, Proposals),
)  # in the order in which /help, the menus and docs/reference.md list their commands


def list_commands(families: Sequence[type[Family]] = FAMILIES) -> tuple[Command, ...]:
    """Return all commands of these families, in the order of /help."""
    return tuple(
        replace(declared, heading=family.heading)
        for family in families
        for declared in family.list_commands_and_presses()
        if isinstance(declared, Command)
    )


def describe_commands() -> dict[str, str]:
    """Return the descriptions of the commands that the model may offer, by name."""
    with use_language(ENGLISH):
        # Each costs some ten tokens of a prompt, and others lead to those that begin with /summary_.
        offered = [row for row in list_commands() if not row.name.startswith("summary_")]
        return {row.name: row.description for row in offered if row.name not in ("admin", "start", "cancel")}


class Commands:
    """The dispatcher of commands, button presses, and texts and files that a command asked for."""

    def __init__(self, dependencies: Dependencies, families: Sequence[type[Family]] = FAMILIES) -> None:
        self._rows = list_commands(families)
        self.names = frozenset(row.name for row in self._rows)
        give = partial(self.handle_command, telegram.Update(0))
        self.dependencies = replace(dependencies, commands=self._rows, give_command=give)
        self._families = [family(self.dependencies) for family in families]
        base = Family.accept_awaited_text
        self._taking_texts = [family for family in self._families if type(family).accept_awaited_text is not base]
        # Families with the same rule are asked once.
        self._awaiting_texts = tuple({type(family).awaits_text: family for family in self._taking_texts}.values())
        self._declared: dict[str, tuple[Family, Press]] = {}
        for family in self._families:
            for declared in family.list_commands_and_presses():
                if declared.key in self._declared:
                    raise ValueError(f"{declared.key} is declared twice")
                self._declared[declared.key] = family, declared

    async def choose_language(self, chat: Chat, person: Person) -> str:
        """Return the language in which to answer a person in a chat."""
        default, memory = self.dependencies.default_language, self.dependencies.services.memory
        try:
            chosen = await memory.get_language(chat.scope.owner)
        except KeepsakeError:
            chosen = None
        is_shared = not chat.is_private and chosen is not None  # before a memory is set up, apps' languages count
        return choose_language(chosen or "", person.language, is_shared=is_shared, default=default)

    def find_app_language(self, person: Person) -> str:
        """Return the language of a person's app, or the bot's default, without reading a store."""
        return choose_language("", person.language, is_shared=False, default=self.dependencies.default_language)

    def format_unknown_command(self, name: str) -> str:
        """Return the answer to an unknown command. It names a similar command if there is one."""
        names = sorted(row.name for row in self._rows if row.where != "admins")
        ending = [known for known in names if known.endswith(f"_{name}")]  # "/status" for "/summary_status"
        near = ending or get_close_matches(name, names, n=1, cutoff=0.7)
        unknown = tr("shared-unknown", command=f"/{name}")
        return f"{tr('shared-near', near=f'/{near[0]}')} {unknown}" if near else unknown

    def find_command(self, name: str) -> Press:
        """Return the declaration of a known command."""
        return self._declared[f"/{name}"][1]

    def find_press(self, data: str, chat: Chat, person: Person) -> Press | None:
        """Return the declaration of a pressed button, or None if it is unknown or belongs to another person."""
        with suppress(ForeignButton, KeyError):
            self.dependencies.buttons.read_payload(data, chat, person)
            return self._declared[parse_button_kind(data)][1]
        return None

    async def find_open_conversation(self, chat: Chat) -> Chat:
        """Return the chat with its open conversation set, or unchanged if the store fails."""
        try:
            return chat.with_conversation(await self.dependencies.services.memory.find_open_conversation(chat.location))
        except StorageError:
            return chat

    async def handle_command(
        self,
        update: telegram.Update,
        chat: Chat,
        person: Person,
        name: str,
        argument: str,
        requested_in: int | None = None,
    ) -> None:
        """Handle a known command. `requested_in` is the turn in which the model offered the command, if any."""
        family, declared = self._declared[f"/{name}"]
        ask = await self._make_ask(update, _make_ephemeral_chat(chat, person, declared), person, argument, requested_in)
        chat = ask.chat
        # The handler of /cancel only says that there is nothing to cancel.
        if name == CANCEL and any([await family.cancel(ask) for family in self._families]):
            return
        with suppress(StorageError):
            await NextText.drop_question(ask, self.dependencies.services.memory.wizards)
        operation, text = self.dependencies.operation, None
        is_hidden = isinstance(declared, Command) and declared.where == "admins"
        if is_hidden and not operation.is_admin(person, is_private=chat.is_private):
            is_theirs = operation.is_admin(person, is_private=True)
            text = tr("shared-in-private", command=f"/{name}") if is_theirs else self.format_unknown_command(name)
        elif argument and isinstance(declared, Command) and declared.stands_alone:
            text = tr("shared-takes-nothing", command=f"/{name}")
        else:
            text = await self._run_command(ask, family, declared)
        if text:
            await self.dependencies.delivery.send_text(chat, text)

    async def run_pressed_button(self, update: telegram.Update, chat: Chat, person: Person) -> None:
        """Handle the press of an inline button. If the press has no effect, a toast gives the reason."""
        query = update.callback_query
        if query is None:
            return
        data = query.data or ""
        toast: str | None = tr("shared-dead-button")
        try:
            if found := self._declared.get(parse_button_kind(data)):
                is_by_admin = is_for_anonymous_admin(data) and not chat.is_private
                if is_by_admin and await self.dependencies.may_configure(chat, person):
                    person = replace(person, id=ANONYMOUS_ADMIN)  # any admin may press for an anonymous one
                payload = self.dependencies.buttons.read_payload(data, chat, person)
                chat = _make_ephemeral_chat(chat, person, found[1], query.id)
                toast = await self._run_command(await self._make_ask(update, chat, person, payload), *found)
        except ForeignButton as foreign:
            toast = str(foreign)
        except asyncio.CancelledError:
            toast = None  # stopped by its reader, or repeated after a restart
            raise
        except BaseException:
            toast = tr("shared-failed")
            raise
        finally:
            with suppress(TelegramError):  # the press may be too old by now; the person sees the message anyway
                await query.answer(toast)

    async def awaits_text(self, chat: Chat, person: Person, update_id: int) -> bool:
        """Return True if a family may have asked for this text, or if the store fails."""
        try:
            return any([await family.awaits_text(chat, person, update_id) for family in self._awaiting_texts])
        except KeepsakeError:
            return True

    async def pass_text_to_family(self, update: telegram.Update, chat: Chat, person: Person, text: str) -> bool:
        """Pass a text to the family that asked for it. Return False if no family did."""
        ask = await self._make_ask(update, chat, person, text)
        for family in self._taking_texts:
            if await family.accept_awaited_text(ask):
                return True
        return False

    def awaits_file(self, update: telegram.Update, chat: Chat, person: Person) -> bool:
        """Return True if a command is waiting for a file from this person."""
        ask = Ask(update=update, chat=chat, person=person)
        return any(family.awaits_file(ask) for family in self._families)

    async def pass_file_to_family(self, update: telegram.Update, chat: Chat, person: Person) -> bool:
        """Pass a file to the family that asked for it. Return False if no family did."""
        ask = await self._make_ask(update, chat, person)
        return any([await family.accept_awaited_file(ask) for family in self._families])

    async def set_menus(self, bot: telegram.Bot) -> None:
        """Set the command menus of all kinds of chats in all languages. Raise TelegramError if Telegram fails."""
        admins = [row for row in self._rows if row.where == "everywhere"]
        in_groups = [row for row in admins if row.who == "everyone"]
        default = self.dependencies.default_language
        for language in (default, *(other for other in LANGUAGES if other != default)):
            with use_language(language):  # in a thread, because this reads the text files of a language
                described = await asyncio.to_thread(lambda: {row.name: row.description for row in self._rows})
            for scope, listed in (
                (telegram.BotCommandScopeAllPrivateChats(), make_private_menu(self._rows)),
                (telegram.BotCommandScopeAllGroupChats(), in_groups),
                (telegram.BotCommandScopeAllChatAdministrators(), admins),
            ):
                usual = [telegram.BotCommand(row.name, described[row.name]) for row in listed]
                # The command message itself is then ephemeral too (Bot API 10.2).
                marks = [{"is_ephemeral": True} if row.is_ephemeral else None for row in listed]
                newer = [
                    telegram.BotCommand(row.name, described[row.name], api_kwargs=mark)
                    for row, mark in zip(listed, marks, strict=True)
                ]
                put = partial(bot.set_my_commands, scope=scope, language_code=None if language == default else language)
                if isinstance(scope, telegram.BotCommandScopeAllPrivateChats):
                    await put(usual)
                else:
                    try_newer = self.dependencies.delivery.newer_api.try_newer
                    await try_newer("setMyCommands.is_ephemeral", partial(put, newer), partial(put, usual))

    async def set_menu_button(self, bot: telegram.Bot) -> None:
        """Make the menu button open the dashboard, if there is one. Raise TelegramError if Telegram fails."""
        if not (url := self.dependencies.dashboard_url).startswith("https://"):
            return
        with use_language(self.dependencies.default_language):
            button = telegram.MenuButtonWebApp(tr("dashboard-memory"), telegram.WebAppInfo(url))
        await bot.set_chat_menu_button(menu_button=button)

    async def _make_ask(
        self, update: telegram.Update, chat: Chat, person: Person, argument: str = "", requested_in: int | None = None
    ) -> Ask:
        set_reference_time(self.dependencies.services.clock())
        here = await self.find_open_conversation(chat)
        return Ask(update=update, chat=here, person=person, argument=argument, requested_in=requested_in)

    async def _run_command(self, ask: Ask, family: Family, press: Press) -> str | None:
        if press.who == "admins" and not await self.dependencies.may_configure(ask.chat, ask.person):
            return tr("shared-admins-only")
        return await press.handler(family, ask)


def _make_ephemeral_chat(chat: Chat, person: Person, press: Press, query: str = "") -> Chat:
    if chat.is_private or chat.only_for is not None or not press.is_ephemeral or person.id == ANONYMOUS_ADMIN:
        return chat
    return replace(chat, only_for=Ephemeral(receiver=person.id, query=query))
