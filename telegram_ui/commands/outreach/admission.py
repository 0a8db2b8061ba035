"""A stranger would like to be let in: the admins are asked, once for each stranger, with two buttons.

Owns who asks and who is told. Does not know how often this may happen (updates/access.py), nor what is kept of it.
"""

import logging

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from locales.catalog import speaking, tr
from locales.choice import language_for, spoken
from records.errors import KeepsakeError
from records.owners import KnownPerson, Standing
from records.scopes import Person
from telegram_ui.commands.family import Dependencies
from telegram_ui.commands.wording import quoted
from telegram_ui.sending.chat import Chat
from telegram_ui.sending.delivery import DeliveryError

log = logging.getLogger(__name__)

KIND = "adm"
ALLOW, REFUSE = "a", "r"
SHOWN = 200
"""Characters of what a stranger wrote that the admins see; it is kept nowhere."""


async def ask_admins(dependencies: Dependencies, person: Person, words: str) -> None:
    """Ask each admin, in their language, whether this stranger is let in. Raises nothing of ours."""
    services, operation = dependencies.services, dependencies.operation
    stranger = KnownPerson(id=person.id, standing="asked", name=_called(person), language=person.language)
    try:
        if not await services.memory.people.ask(stranger, now=services.clock()):
            return
        for number in sorted(operation.admin_ids):
            chosen = await services.memory.language(number) or ""
            language = language_for(chosen, "", is_shared=False, default=dependencies.default_language)
            with speaking(language):
                await _ask(dependencies, Chat(id=number), Person(id=number, name=""), stranger, words)
    except KeepsakeError as error:
        log.warning("the admins could not be asked about somebody: %s", type(error).__name__)


async def _ask(dependencies: Dependencies, chat: Chat, admin: Person, stranger: KnownPerson, words: str) -> None:
    row = [
        InlineKeyboardButton(label, callback_data=dependencies.buttons.data(KIND, chat, admin, f"{what}.{stranger.id}"))
        for label, what in ((tr("admin-allow"), ALLOW), (tr("admin-refuse"), REFUSE))
    ]
    text = tr("admin-request", name=stranger.name, id=str(stranger.id))
    if said := quoted(words, SHOWN):
        text += f"\n\n“{said}”"
    try:
        await dependencies.delivery.say(chat, text, keyboard=InlineKeyboardMarkup([row]))
    except DeliveryError as error:
        log.warning("an admin could not be asked about somebody: %s", type(error).__name__)


async def decide(dependencies: Dependencies, number: int, standing: Standing, *, by: int) -> KnownPerson:
    """Keep what an admin decided of a person, and tell whoever is let in."""
    people = dependencies.services.memory.people
    before = people.get(number)
    name, language = (before.name, before.language) if before else ("", "")
    decided = KnownPerson(id=number, standing=standing, name=name, language=language)
    await people.put(decided, by=by, now=dependencies.services.clock())
    if standing == "allowed" and before is not None and before.standing != "allowed":
        with speaking(spoken(language) or dependencies.default_language):
            try:
                await dependencies.delivery.say(Chat(id=number), tr("admin-let-in"))
            except DeliveryError as error:
                log.info("somebody who was let in could not be told: %s", type(error).__name__)
    return decided


def _called(person: Person) -> str:
    return f"{person.name} (@{person.username})" if person.username else person.name
