"""/admin over the local Bot API server: for the bot's admins alone; strangers ask, admins decide, and it lasts."""

import logging

from locales.catalog import tr
from records.owners import KnownPerson
from records.scopes import Person
from runtime import logs
from settings import Settings
from telegram_ui.commands.admin import ask_admins_to_admit_stranger
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.command_group import Dependencies
from telegram_ui.commands.registry import Commands
from telegram_ui.updates.access import MAX_REQUESTS, AccessPolicy
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk

EVE = Person(id=13, name="Eve", username="eve")


def administered(desk: Desk, **more: object) -> Desk:
    """The desk of a bot of which Ann is an admin."""

    async def may_configure(*_: object) -> bool:
        return True

    settings = Settings(admin_user_ids=frozenset({ANN}), **more)  # type: ignore[arg-type]
    desk.commands = Commands(
        Dependencies(
            services=desk.services,
            delivery=desk.peer.delivery(),
            may_configure=may_configure,
            buttons=Buttons(b"key"),
            settings=settings,
        )
    )
    return desk


def access(desk: Desk, settings: Settings) -> AccessPolicy:
    return AccessPolicy(settings, desk.peer.bot, now=lambda: desk.moment[0], people=desk.services.memory.people)


async def test_nobody_else_learns_that_there_is_such_a_command(desk: Desk) -> None:
    administered(desk)
    await desk.say(BOB, BOB, "/admin")
    assert desk.last(BOB).startswith("I do not know the command /admin.")
    for person, told in ((BOB, "I do not know the command /admin."), (ANN, "/admin works only in our private chat.")):
        await desk.say(person, GROUP, "/admin")
        assert desk.last(GROUP).startswith(told)
    for person in (BOB, ANN):
        await desk.say(person, person, "/help")
        message, buttons = desk.buttons(person)
        await desk.press(person, person, message, buttons["More"])
    assert "/admin" not in desk.last(BOB)
    assert "/admin" in desk.last(ANN)


async def test_the_overview_and_the_latest_errors_say_nothing_of_anybodys_words(desk: Desk) -> None:
    administered(desk, daily_token_budget=1000)
    logs.RECENT.lines.clear()
    record = logging.LogRecord("chat.x", logging.WARNING, "f", 1, "no answer for %s", ("a secret",), None)
    library = logging.LogRecord("httpx", logging.ERROR, "f", 1, "GET /secret", None, None)
    for entry in (record, library):
        logs.RECENT.emit(entry)
    await desk.say(ANN, ANN, "/admin")
    shown = desk.last(ANN)
    for line in ("Memories: 0; used within 7 days: 0", "Tokens today: 0. Limit for all: 1,000.", "gpt-5.4-mini"):
        assert line in shown
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["Latest errors"])
    assert "WARNING chat.x\nno answer for %s" in desk.last(ANN)
    assert "ERROR httpx" in desk.last(ANN)
    assert "secret" not in desk.last(ANN)
    logs.RECENT.lines.clear()


async def test_a_stranger_is_let_in_by_a_button_and_removed_by_another(desk: Desk) -> None:
    administered(desk)
    settings = Settings(admin_user_ids=frozenset({ANN}))
    person = Person(id=BOB, name="Bob", username="bob")
    assert not access(desk, settings).serves(BOB)
    for _ in range(2):
        await ask_admins_to_admit_stranger(desk.commands.dependencies, person, "It is me,\nBob!")
    requests = [text for text in desk.peer.texts(ANN) if "would like to use me" in text]
    assert requests == [f"Bob (@bob) (id {BOB}) would like to use me.\n\n“It is me, Bob!”"]
    message, buttons = desk.buttons(ANN)
    assert await desk.press(ANN, ANN, message, buttons["Allow"]) == f"Bob (@bob) ({BOB}) – let in"
    assert desk.last(BOB).startswith("You have been let in")
    assert await desk.press(ANN, ANN, message, buttons["Allow"]) == f"Bob (@bob) ({BOB}) – let in"
    await desk.services.memory.people.load_people()
    assert access(desk, settings).serves(BOB), "it is stored"
    await desk.say(ANN, ANN, "/admin")
    message, buttons = desk.buttons(ANN)
    await desk.press(ANN, ANN, message, buttons["People"])
    _, buttons = desk.buttons(ANN)
    assert await desk.press(ANN, ANN, message, buttons[f"Remove {BOB}"]) == f"Bob (@bob) ({BOB}) – removed"
    for more in ({"allowed_user_ids": frozenset({BOB})}, {"everyone_allowed": True}):
        assert not access(desk, Settings(admin_user_ids=frozenset({ANN}), **more)).serves(BOB)
    assert access(desk, settings).serves(ANN)


async def test_a_button_of_somebody_who_is_an_admin_no_longer_does_nothing(desk: Desk) -> None:
    administered(desk)
    await ask_admins_to_admit_stranger(desk.commands.dependencies, EVE, "")
    message, buttons = desk.buttons(ANN)
    desk.restart()
    assert await desk.press(ANN, ANN, message, buttons["Allow"]) == tr("shared-dead-button")
    assert desk.services.memory.people.get_access_status(EVE.id) == "asked"


async def test_admins_are_asked_so_often_in_an_hour_and_once_for_each(desk: Desk) -> None:
    asking = access(desk, Settings(admin_user_ids=frozenset({ANN})))
    allowed = [
        asking.try_to_reserve_admission_request(Person(id=1000 + number, name="x"))
        for number in range(MAX_REQUESTS + 5)
    ]
    assert allowed == [True] * MAX_REQUESTS + [False] * 5
    await desk.services.memory.people.try_to_set_status(
        KnownPerson(id=EVE.id, standing="refused", name="Eve"), admin_id=ANN, now=desk.moment[0]
    )
    assert not access(desk, Settings(admin_user_ids=frozenset({ANN}))).try_to_reserve_admission_request(EVE)
    assert not access(desk, Settings()).try_to_reserve_admission_request(Person(id=1, name="x")), (
        "there is nobody to ask"
    )


async def test_privacy_mode_is_turned_off_and_on_by_a_button(desk: Desk) -> None:
    administered(desk)
    desk.peer.world.privacy_mode = True
    await desk.peer.bot.get_me()
    await desk.say(ANN, ANN, "/admin")
    for label, is_private in ((tr("admin-button-groups-all"), False), (tr("admin-button-groups-addressed"), True)):
        message, buttons = desk.buttons(ANN)
        assert await desk.press(ANN, ANN, message, buttons[label]) == tr("admin-groups-changed")
        assert desk.peer.world.privacy_mode is is_private
    assert tr("admin-groups-addressed") in desk.last(ANN)


async def test_a_server_that_cannot_change_privacy_mode_is_asked_once(desk: Desk) -> None:
    administered(desk)
    desk.peer.fault("error", method="setMySettings", error_code=404, description="Not Found: method not found")
    await desk.say(ANN, ANN, "/admin")
    message, buttons = desk.buttons(ANN)
    pressed = buttons[tr("admin-button-groups-addressed")]
    assert await desk.press(ANN, ANN, message, pressed) == tr("admin-groups-refused")
    await desk.say(ANN, ANN, "/admin")
    assert tr("admin-button-groups-addressed") not in desk.buttons(ANN)[1]
