"""The model's proposals to remember, forget or do something. A person accepts or declines each with a button."""

from telegram import Update

from chat.facts_by_hand import add_fact
from locales.catalog import collect_all_translations, tr
from records.scopes import Person
from records.turns import Proposal
from telegram_ui.commands import reminders
from telegram_ui.commands.buttons import make_keyboard
from telegram_ui.commands.command_group import Action, ChatEvent, CommandGroup, Dependencies
from telegram_ui.commands.wording import set_current_time_for_formatting
from telegram_ui.sending.chat import Chat

PROPOSED = "prp"
NO = "no"
GIVE = "command-"  # the payload of the button that runs the command in its message


class ProposalButtons(CommandGroup):
    @Action(PROPOSED, who="admins")
    async def _accept_or_decline_proposal(self, event: ChatEvent) -> None:
        kind, _, choice = event.argument.partition("-")
        config = await self._read_config(event)
        if choice == NO:
            outcome = tr("proposals-declined")
        elif kind != "remember":  # updates/repeats.py runs commands; this button is too old for it
            outcome = tr("shared-dead-button")
        elif config is None or not config.enabled or config.incognito:
            outcome = tr("proposals-memory-off")
        else:
            outcome = await self._remember_proposed_fact(event)
        await self._show_text(event, outcome)

    async def _remember_proposed_fact(self, event: ChatEvent) -> str:
        # The fact is part of the question, so that the button works even after a restart.
        heading, _, text = event.message_text.partition("\n\n")
        if heading not in collect_all_translations("proposals-ask-remember") or not text:
            return tr("shared-dead-button")
        added = await add_fact(self._services, event.chat.scope.owner, text)
        return added if isinstance(added, str) else tr("proposals-remembered", text=added.text)


def extract_proposed_command(proposal_text: str) -> str | None:
    heading, _, command = proposal_text.partition("\n\n")
    return command if heading in collect_all_translations("proposals-ask-command") and command.startswith("/") else None


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
    accept = make_button(PROPOSED, chat, person, tr(f"proposals-yes-{proposal.kind}"), f"{proposal.kind}-")
    decline = make_button(PROPOSED, chat, person, tr("shared-no"), f"{proposal.kind}-{NO}")
    text = f"{tr(f'proposals-ask-{proposal.kind}')}\n\n{proposal.text}"
    await dependencies.delivery.send_text(chat, text, keyboard=make_keyboard([accept, decline]))
