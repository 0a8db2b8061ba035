"""All groups of commands, and the dispatch of commands, button presses, texts and files to them."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches

import telegram
from cachetools import LRUCache
from telegram.error import TelegramError

from locales.catalog import ENGLISH, LANGUAGES, tr, use_language
from records.errors import KeepsakeError, ServedElsewhere, StorageError
from records.scopes import Person, Scope
from telegram_ui.commands.admin import AdminCommands
from telegram_ui.commands.answer_buttons import AnswerButtons
from telegram_ui.commands.basics import BasicCommands, select_private_menu_commands
from telegram_ui.commands.broadcast import BroadcastCommands
from telegram_ui.commands.buttons import ForeignButton, parse_button_kind
from telegram_ui.commands.chats import ChatsCommands
from telegram_ui.commands.choices import ChoiceCommands
from telegram_ui.commands.command_group import (
    Action,
    ChatEvent,
    Command,
    CommandGroup,
    Dependencies,
    HandlerReply,
    TextQuestion,
)
from telegram_ui.commands.dashboard import DashboardCommands
from telegram_ui.commands.exporting import ExportCommands
from telegram_ui.commands.forget import ForgetCommands
from telegram_ui.commands.importing import ImportCommands
from telegram_ui.commands.memory import MemoryCommands
from telegram_ui.commands.proposals import ProposalButtons
from telegram_ui.commands.reminders import ReminderCommands
from telegram_ui.commands.search import SearchCommands
from telegram_ui.commands.summaries import SummaryCommands
from telegram_ui.commands.usage import UsageCommands
from telegram_ui.commands.why import WhyCommands
from telegram_ui.commands.wizard import CANCEL, SetupWizard
from telegram_ui.commands.wording import set_current_time_for_formatting
from telegram_ui.sending.chat import ANONYMOUS_ADMIN, Chat, SoleViewer

MAX_PRESSES = 10_000  # pressed buttons that are remembered, so that a double tap counts once

COMMAND_GROUPS: tuple[type[CommandGroup], ...] = (
    *(BasicCommands, SetupWizard, ChoiceCommands, ChatsCommands, SummaryCommands, MemoryCommands),
    *(WhyCommands, SearchCommands, DashboardCommands, ReminderCommands, UsageCommands, ExportCommands),
    *(ImportCommands, ForgetCommands, AdminCommands, BroadcastCommands, AnswerButtons, ProposalButtons),
)  # in the order in which /help, the menus and docs/reference.md list their commands


def list_commands(groups: Sequence[type[CommandGroup]] = COMMAND_GROUPS) -> tuple[Command, ...]:
    """Return all commands of these groups, in the order of /help."""
    return tuple(
        replace(action, heading=group.heading)
        for group in groups
        for action in group.list_actions()
        if isinstance(action, Command)
    )


def describe_commands_by_name() -> dict[str, str]:
    """Return the descriptions of the commands that the model may offer, by name."""
    with use_language(ENGLISH):
        # Each costs some ten tokens of a prompt, and others lead to those that begin with /summary_.
        offered = [row for row in list_commands() if not row.name.startswith("summary_")]
        return {row.name: row.description for row in offered if row.name not in ("admin", "start", "cancel")}


class Commands:
    """Dispatches commands and button presses, and the texts and files that a command asked for."""

    def __init__(self, dependencies: Dependencies, groups: Sequence[type[CommandGroup]] = COMMAND_GROUPS) -> None:
        self._rows = list_commands(groups)
        self.names = frozenset(row.name for row in self._rows)
        self.dependencies = replace(dependencies, commands=self._rows, give_command=self.run_command_and_send_reply)
        self._groups = [group(self.dependencies) for group in groups]
        self._pressed = LRUCache[tuple[int | str | None, ...], None](MAX_PRESSES)
        self._actions: dict[str, tuple[CommandGroup, Action]] = {}
        for group in self._groups:
            for action in group.list_actions():
                if action.registry_key in self._actions:
                    raise ValueError(f"{action.registry_key} is declared twice")
                self._actions[action.registry_key] = group, action

    async def choose_reply_language(self, chat: Chat, person: Person) -> str:
        try:
            chosen = await self.dependencies.services.memory.get_language(chat.scope.owner)
        except KeepsakeError:
            chosen = None
        is_shared = not chat.is_private and chosen is not None  # before a memory is set up, apps' languages count
        return self.dependencies.choose_language(chosen or "", person.language, is_shared=is_shared)

    def format_unknown_command(self, name: str) -> str:
        """Return the answer to an unknown command. It names a similar command if there is one."""
        names = sorted(row.name for row in self._rows if row.where != "admins")
        ending = [known for known in names if known.endswith(f"_{name}")]  # "/status" for "/summary_status"
        near = ending or get_close_matches(name, names, n=1, cutoff=0.7)
        unknown = tr("shared-unknown", command=f"/{name}")
        return f"{tr('shared-near', near=f'/{near[0]}')} {unknown}" if near else unknown

    def find_command_action(self, name: str) -> Action:
        return self._actions[f"/{name}"][1]

    def find_button_action(self, callback_data: str, chat: Chat, person: Person) -> Action | None:
        """Return the declaration of a pressed button, or None if it is unknown or belongs to another person."""
        with suppress(ForeignButton, KeyError):
            self.dependencies.buttons.verify_and_extract_payload(callback_data, chat, person)
            return self._actions[parse_button_kind(callback_data)][1]
        return None

    async def run_command_and_send_reply(self, name: str, event: ChatEvent) -> None:
        """Run a known command and send its reply, or explain why it cannot be used like this."""
        group, action = self._actions[f"/{name}"]
        event = await self._set_time_and_conversation(_make_event_ephemeral_if_needed(event, action))
        # The handler of /cancel only says that there is nothing to cancel.
        if name == CANCEL and any([await group.try_to_cancel_awaited_input(event) for group in self._groups]):
            return
        with suppress(StorageError):
            await TextQuestion.delete_open_question(event, self.dependencies.services.memory.wizards)
        operation, text = self.dependencies.operator, None
        if action.where == "admins" and not operation.is_admin(event.person, in_private=event.chat.is_private):
            is_theirs = operation.is_admin(event.person, in_private=True)
            text = tr("shared-in-private", command=f"/{name}") if is_theirs else self.format_unknown_command(name)
        elif event.argument and isinstance(action, Command) and action.stands_alone:
            text = tr("shared-takes-nothing", command=f"/{name}")
        else:
            text = await self._run_action_if_permitted(event, group, action)
        if text:
            await self.dependencies.delivery.send_text(event.chat, text)

    async def run_action_of_pressed_button(self, event: ChatEvent) -> None:
        """Handle the press of an inline button. If the press has no effect, a toast gives the reason."""
        query = event.update.callback_query
        if query is None:
            return
        data = query.data or ""
        toast: str | None = tr("shared-dead-button")
        try:
            if found := self._actions.get(parse_button_kind(data)):
                payload = self.dependencies.buttons.verify_and_extract_payload(data, event.chat, event.person)
                event = _make_event_ephemeral_if_needed(replace(event, argument=payload), found[1], query.id)
                toast = await self._run_action_if_permitted(await self._set_time_and_conversation(event), *found)
        except ForeignButton as foreign:
            toast = str(foreign)
        except (asyncio.CancelledError, ServedElsewhere):
            toast = None  # stopped by its reader, or repeated by another process or run
            raise
        except BaseException:
            toast = tr("shared-failed")
            raise
        finally:
            with suppress(TelegramError):  # the press may be too old by now; the person sees the message anyway
                await query.answer(toast)

    async def awaits_text(self, chat_scope: Scope, person_id: int, update_id: int) -> bool:
        """Return True if a command group may have asked for the text of an update. If the store fails, assume so."""
        try:
            state = await self.dependencies.services.memory.wizards.find_state(chat_scope, person_id)
        except KeepsakeError:
            return True
        return state is not None and state.accepts_answer(update_id)

    async def pass_text_to_command_if_awaited(self, event: ChatEvent) -> bool:
        """Pass a text to the group of commands that asked for it. Return False if none did."""
        event = await self._set_time_and_conversation(event)
        for group in self._groups:
            if await group.accept_text_if_awaited(event):
                return True
        return False

    async def awaits_file(self, event: ChatEvent) -> bool:
        return any([await group.awaits_file(event) for group in self._groups])

    async def pass_file_to_command_if_awaited(self, event: ChatEvent) -> None:
        event = await self._set_time_and_conversation(event)
        for group in self._groups:
            await group.accept_file_if_awaited(event)

    async def set_command_menus(self, bot: telegram.Bot) -> None:
        """Set the command menus of all kinds of chats in all languages. Raise TelegramError if Telegram fails."""
        admins = [row for row in self._rows if row.where == "everywhere"]
        in_groups = [row for row in admins if row.who == "everyone"]
        default = self.dependencies.settings.default_language
        for language in (default, *(other for other in LANGUAGES if other != default)):
            with use_language(language):  # in a thread, because this reads the text files of a language
                described = await asyncio.to_thread(lambda: {row.name: row.description for row in self._rows})
            for scope, listed in (
                (telegram.BotCommandScopeAllPrivateChats(), select_private_menu_commands(self._rows)),
                (telegram.BotCommandScopeAllGroupChats(), in_groups),
                (telegram.BotCommandScopeAllChatAdministrators(), admins),
            ):
                is_shared = not isinstance(scope, telegram.BotCommandScopeAllPrivateChats)
                menu = [
                    # The command message itself is then ephemeral too (Bot API 10.2).
                    telegram.BotCommand(
                        row.name, described[row.name], api_kwargs={"is_ephemeral": row.is_ephemeral and is_shared}
                    )
                    for row in listed
                ]
                await bot.set_my_commands(menu, scope=scope, language_code=None if language == default else language)

    async def set_dashboard_menu_button(self, bot: telegram.Bot) -> None:
        """Make the menu button open the dashboard, if there is one. Raise TelegramError if Telegram fails."""
        if not (url := self.dependencies.settings.dashboard_url).startswith("https://"):
            return
        with use_language(self.dependencies.settings.default_language):
            button = telegram.MenuButtonWebApp(tr("dashboard-memory"), telegram.WebAppInfo(url))
        await bot.set_chat_menu_button(menu_button=button)

    async def _set_time_and_conversation(self, event: ChatEvent) -> ChatEvent:
        """Set the current time for formatting dates, and return the event with its chat's open conversation."""
        services = self.dependencies.services
        set_current_time_for_formatting(services.clock())
        with suppress(StorageError):
            scope = await services.memory.find_open_conversation_or_chat_scope(event.chat.chat_scope)
            return replace(event, chat=event.chat.with_conversation(scope))
        return event

    async def _run_action_if_permitted(self, event: ChatEvent, group: CommandGroup, action: Action) -> HandlerReply:
        if action.who == "admins" and not await self.dependencies.may_configure(event.chat, event.person):
            return tr("shared-admins-only")
        is_admin = self.dependencies.operator.is_admin(event.person, in_private=event.chat.is_private)
        if action.where == "admins" and not is_admin:  # a former admin may still have a button
            return tr("shared-dead-button")
        if not action.runs_once:
            return await action.handler(group, event)
        button = (action.name, event.argument) if action.runs_once == "by button" else ()
        press = event.chat.id, event.message_id, *button
        if press in self._pressed:
            return tr("answers-pressed-already")
        self._pressed[press] = None
        try:
            return await action.handler(group, event)
        except BaseException:
            self._pressed.pop(press, None)  # the button may be pressed again
            raise


def _make_event_ephemeral_if_needed(event: ChatEvent, action: Action, callback_query_id: str = "") -> ChatEvent:
    chat, person = event.chat, event.person
    if chat.is_private or chat.only_for is not None or not action.is_ephemeral or person.id == ANONYMOUS_ADMIN:
        return event
    return replace(event, chat=replace(chat, only_for=SoleViewer(receiver=person.id, query=callback_query_id)))
