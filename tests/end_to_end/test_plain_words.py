"""From /start to a remembered photo, a heard voice, a searched PDF, a new conversation and a forgotten secret: by
buttons and plain words alone, in a language other than English, with a model that calls tools as real ones do.
"""

import pytest

from locales.catalog import speaking, tr
from tests.end_to_end.harness import ANSWERS, House, Member
from tests.peers.openai_server import Behaviour
from tests.support.documents import pdf

pytestmark = pytest.mark.asyncio(loop_scope="module")


def offers(command: str) -> Behaviour:
    return Behaviour(calls=({"name": "offer_command", "arguments": {"command": command}},))


async def presses(person: Member, asked: str, said: str, button: str, hears: str) -> str:
    """Say something, press this button under the message that has these words, and hear what comes of it."""
    message = await person.tells(asked, said)
    since = person.now
    person.press(message, button)
    return str((await person.hears(hears, since=since))["text"])


async def turned_on(person: Member) -> None:
    message = await person.tells("/start", "Keepsake")
    since = person.now
    person.press(message, tr("basics-turn-on"))
    await person.hears("SQLite", since=since)


async def forgets(house: House, person: Member, *, secret: str, question: str, words: str) -> None:
    """A secret is forgotten: the model offers the command, the person presses what they are shown."""
    house.model.script(ANSWERS, "OK.", offers(f"/forget {words}"), "OK.")
    await person.asks(secret, "OK.")
    await presses(person, question, f"/forget {words}", tr("proposals-yes-command"), tr("forget-which"))
    since = person.now
    person.press(person.heard()[-1], "#")
    last_question = await person.hears(tr("forget-ask-this"), since=since)
    assert secret in last_question["text"]
    assert secret in stored(house, person), "nothing is erased before it was pressed"
    person.press(last_question, tr("forget-turn"))
    await person.hears(tr("forget-not-in-my-power"), since=since)
    assert secret not in stored(house, person)


def stored(house: House, person: Member) -> list[str]:
    return [row["content"] for row in house.memory.files().home(person.owner).messages]


async def test_a_stranger_gets_everywhere_in_german(house: House) -> None:
    with speaking("de"):
        eva = house.person("Eva", language="de")
        async with house.bot(TRANSCRIPTION_MODEL="hears"):
            await turned_on(eva)
            house.model.script(ANSWERS, "Ein rotes Fahrrad am Hafen.", "Gern.", "Das steht im Vertrag.")
            house.model.script("hears", "Mein Pass liegt in der blauen Schublade.")
            for kind, name, data, heard in (
                ("photo", "rad.jpg", b"\xff\xd8\xff\xe0", "Ein rotes Fahrrad"),
                ("voice", "a.ogg", b"OggS", "Gern."),
                ("document", "mietvertrag.pdf", pdf(["Die Kaution betraegt 900 Euro."]), "Vertrag"),
            ):
                since = eva.now
                house.world.send_file(eva.id, eva.id, kind=kind, name=name, data=data)
                await eva.hears(heard, since=since)
            for words in ("Fahrrad", "Schublade", "Kaution"):
                assert words in (await eva.asks(f"/search {words}", "1. ")).partition("1. ")[2]
            assert "[mietvertrag.pdf, Seite 1]" in await eva.asks("/search Kaution", "1. ")
            await eva.asks("Erinnere mich morgen um 9 daran, Mama anzurufen.", "Mama anzurufen")
            await forgets(
                house,
                eva,
                secret="Mein Codewort ist Zitronenfalter.",
                question="Vergiss bitte mein Codewort!",
                words="Zitronenfalter",
            )
            house.model.script(ANSWERS, offers("/new Garten"), "Gern.")
            new = await presses(eva, "Lass uns neu anfangen.", "/new Garten", tr("proposals-yes-command"), "Garten")
            assert new == tr("chats-begun-titled", title="Garten")


async def test_a_secret_is_forgotten_in_russian(house: House) -> None:
    with speaking("ru"):
        olga = house.person("Ольга", language="ru")
        async with house.bot():
            await turned_on(olga)
            await forgets(
                house,
                olga,
                secret="Моё кодовое слово — лимонница.",
                question="Забудь моё кодовое слово!",
                words="лимонница",
            )
