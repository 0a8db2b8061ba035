"""A new user reaches every feature by buttons and plain words alone, in German and Russian.

Covers /start, a remembered photo, a voice message, a searched PDF, a reminder, a forgotten secret and a new
conversation. The scripted model calls tools as real models do.
"""

from dataclasses import dataclass

import pytest

from locales.catalog import tr, use_language
from tests.end_to_end.harness import ANSWERS, LocalServers, Member
from tests.peers.openai_server import Behaviour
from tests.support.documents import make_pdf

pytestmark = pytest.mark.asyncio(loop_scope="module")


def offers(command: str) -> Behaviour:
    return Behaviour(calls=({"name": "offer_command", "arguments": {"command": command}},))


def wishes(text: str) -> Behaviour:
    """Return a tool call that proposes a reminder. The model's default answer follows it."""
    return Behaviour(calls=({"name": "remind", "arguments": {"text": text, "in_minutes": 60}},))


async def presses(person: Member, asked: str, said: str, button: str, hears: str) -> str:
    """Say something, press a button under the reply that has these words, and return the next message."""
    message = await person.ask_for_message(asked, said)
    since = person.last_event
    person.press_button(message, button)
    return str((await person.wait_for_message(hears, since=since))["text"])


async def turned_on(person: Member) -> None:
    message = await person.ask_for_message("/start", "Keepsake")
    since = person.last_event
    person.press_button(message, tr("basics-turn-on"))
    await person.wait_for_message(person.servers.sql, since=since)


async def forgets(servers: LocalServers, person: Member, *, secret: str, question: str, words: str) -> None:
    """Ask in plain words to forget a secret, confirm, and check that it is erased.

    The model offers the /forget command, which asks the same questions as a typed command and no more. The request
    itself is not offered for forgetting, but is erased with the secret.
    """
    servers.model.script(ANSWERS, "OK.", offers(f"/forget {words}"), "OK.")
    await person.ask(secret, "OK.")
    since = person.last_event
    which = await person.ask_for_message(question, tr("forget-which"))
    assert secret in which["text"]
    assert question not in which["text"]
    person.press_button(which, "#")
    last_question = await person.wait_for_message(tr("forget-ask-this"), since=since)
    assert secret in last_question["text"]
    assert secret in stored(servers, person), "nothing is erased before it was pressed"
    person.press_button(last_question, tr("forget-turn"))
    await person.wait_for_message(tr("forget-not-in-my-power"), since=since)
    assert [said for said in stored(servers, person) if words in said] == []


def stored(servers: LocalServers, person: Member) -> list[str]:
    return [row["content"] for row in servers.memory.read_state().get_owner_rows(person.owner).messages]


@dataclass(frozen=True, kw_only=True)
class Walk:
    """The messages of a person and the answers of the model, in one language."""

    language: str
    photo: str
    seen: str
    transcript: str
    document: tuple[str, str]
    contract: str
    looked_for: tuple[str, str, str]
    wish: tuple[str, str]
    secret: str
    forget: tuple[str, str]
    anew: tuple[str, str]


@pytest.mark.parametrize(
    "walk",
    [
        Walk(
            language="de",
            photo="rad.jpg",
            seen="Ein rotes Fahrrad am Hafen.",
            transcript="Mein Pass liegt in der blauen Schublade.",
            document=("mietvertrag.pdf", "Die Kaution betraegt 900 Euro."),
            contract="Das steht im Vertrag.",
            looked_for=("Fahrrad", "Schublade", "Kaution"),
            wish=("Erinnere mich morgen um 9 daran, Mama anzurufen.", "Mama anzurufen"),
            secret="Mein Codewort ist Zitronenfalter.",
            forget=("Vergiss bitte mein Codewort Zitronenfalter!", "Zitronenfalter"),
            anew=("Lass uns neu anfangen.", "Garten"),
        ),
        Walk(
            language="ru",
            photo="velosiped.jpg",
            seen="Красный велосипед у причала.",
            transcript="Мой паспорт лежит в синем ящике.",
            document=("dogovor.pdf", "Zalog 900 evro."),
            contract="Так написано в договоре.",
            looked_for=("велосипед", "паспорт", "Zalog"),
            wish=("Напомни мне завтра в 9 позвонить маме.", "позвонить маме"),
            secret="Моё кодовое слово — лимонница.",
            forget=("Забудь моё кодовое слово «лимонница»!", "лимонница"),
            anew=("Давай начнём сначала.", "Сад"),
        ),
    ],
    ids=lambda walk: walk.language,
)
async def test_new_user_reaches_all_features_by_buttons_and_plain_text(servers: LocalServers, walk: Walk) -> None:
    with use_language(walk.language):
        person = servers.add_person("Eva", language=walk.language)
        async with servers.run_bot(TRANSCRIPTION_MODEL="hears"):
            await turned_on(person)
            servers.model.script(ANSWERS, walk.seen, "OK!", walk.contract)
            servers.model.script("hears", walk.transcript)
            name, text = walk.document
            for kind, file, data, heard in (
                ("photo", walk.photo, b"\xff\xd8\xff\xe0", walk.seen),
                ("voice", "a.ogg", b"OggS", "OK!"),
                ("document", name, make_pdf([text]), walk.contract),
            ):
                since = person.last_event
                servers.world.send_file(person.id, person.id, kind=kind, name=file, data=data)
                await person.wait_for_message(heard, since=since)
            for words in walk.looked_for:
                found = await person.ask(f"/search {words}", "1. ")
                assert words in found.partition("1. ")[2]
            assert f"[{name}, {tr('files-place-page', at='1')}]" in found
            servers.model.script(ANSWERS, wishes(walk.wish[1]))
            await person.ask(*walk.wish)
            question, secret_word = walk.forget
            await forgets(servers, person, secret=walk.secret, question=question, words=secret_word)
            asked, title = walk.anew
            servers.model.script(ANSWERS, offers(f"/new {title}"), "OK.")
            new = await presses(person, asked, f"/new {title}", tr("proposals-yes-command"), title)
            assert new == f"{tr('shared-quoted', text=title)}\n{tr('chats-begun')}"
