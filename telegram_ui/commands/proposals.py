"""The model's proposals to remember, forget or do something. A person accepts or declines each with a button."""

from dataclasses import replace

from telegram import Message, Update

from chat.facts_by_hand import add_fact
from locales.catalog import collect_all_translations, tr
from records.scopes import Person
from records.turns import Proposal
from telegram_ui.commands import reminders
from telegram_ui.commands.buttons import make_keyboard
from telegram_ui.commands.command_group import Action, ChatEvent, CommandGroup, Dependencies, HandlerReply
from telegram_ui.commands.wording import set_current_time_for_formatting
from telegram_ui.sending.chat import Chat

PROPOSED, SLOW = "prp", "prs"  # SLOW accepts a command that waits for a model
NO = "no"


class ProposalButtons(CommandGroup):
    async def _accept_or_decline_proposal(self, event: ChatEvent) -> HandlerReply:
        kind, _, choice = event.argument.partition("-")
        # The proposal is part of the question, so that the button works even after a restart.
        heading, _, text = event.message_text.partition("\n\n")
        config = await self._read_config(event)
        if choice == NO:
            outcome = tr("proposals-declined")
        elif not text or heading not in collect_all_translations(f"proposals-ask-{kind}"):
            outcome = tr("shared-dead-button")
        elif kind == "command":
            await self._run_proposed_command(event, text)
            return None
        elif not await self._may_configure(event.chat, event.person):
            return tr("shared-admins-only")
        elif config is None or not config.enabled or config.incognito:
            outcome = tr("proposals-memory-off")
        else:
            added = await add_fact(self._services, event.chat.scope.owner, text)
            outcome = added if isinstance(added, str) else tr("proposals-remembered", text=added.text)
        return await self._show_text(event, outcome)

    async def _run_proposed_command(self, event: ChatEvent, text: str) -> None:
        await self._last_buttons.remove_buttons(self._delivery, event.chat, event.message_id)
        # As a message of the person, so that the reply is a new message, which may be for their eyes only.
        message = event.update.effective_message
        if message is not None:
            message = Message(message.message_id, message.date, message.chat, from_user=event.update.effective_user)
        update = Update(event.update.update_id, message=message)
        update.set_bot(event.update.get_bot())
        name, _, argument = text.partition(" ")
        chat = event.chat if event.chat.is_private else replace(event.chat, reply_to=event.message_id)
        given = replace(event, update=update, chat=chat, argument=argument)
        await self._dependencies.give_command(name.removeprefix("/"), given)

    _press_proposed = Action(PROPOSED, runs_once="by message")(_accept_or_decline_proposal)
    _press_slow = Action(SLOW, queue="slow", runs_once="by message")(_accept_or_decline_proposal)


async def ask_about_proposal(dependencies: Dependencies, chat: Chat, person: Person, proposal: Proposal) -> None:
    set_current_time_for_formatting(dependencies.services.clock())
    if proposal.kind == "remind":
        await reminders.offer_reminder(dependencies, chat, person, proposal)
        return
    name, _, argument = proposal.text.partition(" ")
    if proposal.kind == "command" and name == "/forget":  # which asks for confirmation itself
        event = ChatEvent(update=Update(0), chat=chat, person=person, argument=argument, requested_in=proposal.source)
        await dependencies.give_command(name.removeprefix("/"), event)
        return
    make_button = dependencies.buttons.make_button
    slow = [f"/{row.name}" for row in dependencies.commands if row.queue == "slow"]
    kind = SLOW if proposal.kind == "command" and name in slow else PROPOSED
    accept = make_button(kind, chat, person, tr(f"proposals-yes-{proposal.kind}"), f"{proposal.kind}-")
    decline = make_button(PROPOSED, chat, person, tr("shared-no"), f"{proposal.kind}-{NO}")
    text = f"{tr(f'proposals-ask-{proposal.kind}')}\n\n{proposal.text}"
    await dependencies.delivery.send_text(chat, text, keyboard=make_keyboard([accept, decline]))
