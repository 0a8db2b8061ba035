"""/admin is for the bot's admins only. Admins decide on strangers' requests, and decisions are stored."""

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
from tests.support.answer_controls import DirectAnswers
from tests.unit.telegram_ui.commands.conftest import ANN, BOB, GROUP, Desk

EVE = Person(id=13, name="Eve", username="eve")


def make_ann_admin(desk: Desk, **more: object) -> Desk:
    """Make Ann an admin of the bot."""

    async def may_configure(*_: object) -> bool:
        return True

    settings = Settings(admin_user_ids=frozenset({ANN}), **more)  # type: ignore[arg-type]
    delivery = desk.peer.make_delivery()
    desk.commands = Commands(
        Dependencies(
            services=desk.services,
            delivery=delivery,
            may_configure=may_configure,
            buttons=Buttons(b"key"),
            answers=DirectAnswers(delivery),
            settings=settings,
        )
    )
    return desk


def make_access_policy(desk: Desk, settings: Settings) -> AccessPolicy:
    return AccessPolicy(settings, desk.peer.bot, desk.services.memory.people, now=lambda: desk.moment[0])


async def test_admin_command_is_hidden_from_non_admins(desk: Desk) -> None:
    make_ann_admin(desk)
    await desk.say(BOB, BOB, "/admin")
    assert desk.get_last_text(BOB).startswith("I do not know the command /admin.")
    for person, told in ((BOB, "I do not know the command /admin."), (ANN, "/admin works only in our private chat.")):
        await desk.say(person, GROUP, "/admin")
        assert desk.get_last_text(GROUP).startswith(told)
    for person in (BOB, ANN):
        await desk.say(person, person, "/help")
        message, buttons = desk.find_newest_buttons(person)
        await desk.press_button(person, person, message, buttons["More"])
    assert "/admin" not in desk.get_last_text(BOB)
    assert "/admin" in desk.get_last_text(ANN)


async def test_admin_overview_and_latest_errors_reveal_no_user_text(desk: Desk) -> None:
    make_ann_admin(desk, daily_token_budget=1000)
    logs.RECENT.lines.clear()
    record = logging.LogRecord("chat.x", logging.WARNING, "f", 1, "no answer for %s", ("a secret",), None)
    library = logging.LogRecord("httpx", logging.ERROR, "f", 1, "GET /secret", None, None)
    for entry in (record, library):
        logs.RECENT.emit(entry)
    await desk.say(ANN, ANN, "/admin")
    shown = desk.get_last_text(ANN)
    for line in ("Memories: 0; used within 7 days: 0", "Tokens today: 0. Limit for all: 1,000.", "gpt-5.4-mini"):
        assert line in shown
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["Latest errors"])
    assert "WARNING chat.x\nno answer for %s" in desk.get_last_text(ANN)
    assert "ERROR httpx" in desk.get_last_text(ANN)
    assert "secret" not in desk.get_last_text(ANN)
    logs.RECENT.lines.clear()


async def test_admin_admits_and_removes_stranger_by_button(desk: Desk) -> None:
    make_ann_admin(desk)
    settings = Settings(admin_user_ids=frozenset({ANN}))
    person = Person(id=BOB, name="Bob", username="bob")
    assert not make_access_policy(desk, settings).serves(BOB)
    for _ in range(2):
        await ask_admins_to_admit_stranger(desk.commands.dependencies, person, "It is me,\nBob!")
    requests = [text for text in desk.peer.list_bot_texts(ANN) if "would like to use me" in text]
    assert requests == [f"Bob (@bob) (id {BOB}) would like to use me.\n\n“It is me, Bob!”"]
    message, buttons = desk.find_newest_buttons(ANN)
    assert await desk.press_button(ANN, ANN, message, buttons["Allow"]) == f"Bob (@bob) ({BOB}) – let in"
    assert desk.get_last_text(BOB).startswith("You have been let in")
    assert await desk.press_button(ANN, ANN, message, buttons["Allow"]) == f"Bob (@bob) ({BOB}) – let in"
    await desk.services.memory.people.load_people()
    assert make_access_policy(desk, settings).serves(BOB), "it is stored"
    await desk.say(ANN, ANN, "/admin")
    message, buttons = desk.find_newest_buttons(ANN)
    await desk.press_button(ANN, ANN, message, buttons["People"])
    _, buttons = desk.find_newest_buttons(ANN)
    assert await desk.press_button(ANN, ANN, message, buttons[f"Remove {BOB}"]) == f"Bob (@bob) ({BOB}) – removed"
    for more in ({"allowed_user_ids": frozenset({BOB})}, {"everyone_allowed": True}):
        assert not make_access_policy(desk, Settings(admin_user_ids=frozenset({ANN}), **more)).serves(BOB)
    assert make_access_policy(desk, settings).serves(ANN)


async def test_button_of_former_admin_does_nothing(desk: Desk) -> None:
    make_ann_admin(desk)
    await ask_admins_to_admit_stranger(desk.commands.dependencies, EVE, "")
    message, buttons = desk.find_newest_buttons(ANN)
    desk.restart()
    assert await desk.press_button(ANN, ANN, message, buttons["Allow"]) == tr("shared-dead-button")
    assert desk.services.memory.people.get_access_status(EVE.id) == "asked"


async def test_admission_requests_are_limited_and_skip_refused_person(desk: Desk) -> None:
    asking = make_access_policy(desk, Settings(admin_user_ids=frozenset({ANN})))
    allowed = [
        asking.try_to_reserve_admission_request(Person(id=1000 + number, name="x"))
        for number in range(MAX_REQUESTS + 5)
    ]
    assert allowed == [True] * MAX_REQUESTS + [False] * 5
    await desk.services.memory.people.try_to_set_status(
        KnownPerson(id=EVE.id, standing="refused", name="Eve"), admin_id=ANN, now=desk.moment[0]
    )
    assert not make_access_policy(desk, Settings(admin_user_ids=frozenset({ANN}))).try_to_reserve_admission_request(EVE)
    assert not make_access_policy(desk, Settings()).try_to_reserve_admission_request(Person(id=1, name="x")), (
        "there is nobody to ask"
    )


async def test_admin_button_toggles_privacy_mode(desk: Desk) -> None:
    make_ann_admin(desk)
    desk.peer.world.privacy_mode = True
    await desk.peer.bot.get_me()
    await desk.say(ANN, ANN, "/admin")
    for label, is_private in ((tr("admin-button-groups-all"), False), (tr("admin-button-groups-addressed"), True)):
        message, buttons = desk.find_newest_buttons(ANN)
        assert await desk.press_button(ANN, ANN, message, buttons[label]) == tr("admin-groups-changed")
        assert desk.peer.world.privacy_mode is is_private
    assert tr("admin-groups-addressed") in desk.get_last_text(ANN)


async def test_privacy_mode_button_is_hidden_after_server_refusal(desk: Desk) -> None:
    make_ann_admin(desk)
    desk.peer.add_fault("error", method="setMySettings", error_code=404, description="Not Found: method not found")
    await desk.say(ANN, ANN, "/admin")
    message, buttons = desk.find_newest_buttons(ANN)
    pressed = buttons[tr("admin-button-groups-addressed")]
    assert await desk.press_button(ANN, ANN, message, pressed) == tr("admin-groups-refused")
    await desk.say(ANN, ANN, "/admin")
    assert tr("admin-button-groups-addressed") not in desk.find_newest_buttons(ANN)[1]
