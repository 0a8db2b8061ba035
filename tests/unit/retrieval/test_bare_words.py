"""A word of a message in any language is found when it is asked for alone, however the message was stemmed."""

from pathlib import Path

from records.context import Context
from records.owners import StorageType
from records.scopes import Scope
from tests.support.talk import ANNA, talking

SCOPE = Scope(owner=ANNA.id)
SAID = {
    "Annem Isparta doğumlu, bahçede güller yetiştirir ve komşularına kapıyı hep açar.": ("Isparta", "bahçede"),
    "Unsere Nachbarn haben zwei alte Häuser in Gießen gekauft und die Schlüssel verloren.": ("Häuser", "Gießen"),
    "I nostri vicini hanno comprato due vecchie case vicino a Lucca e perso le chiavi.": ("Lucca", "comprato"),
    "Onze buren hebben twee oude huizen gekocht in Zutphen en de sleutels verloren.": ("Zutphen", "sleutels"),
    "A szomszédaink vettek két régi házat Egerben és elvesztették a kulcsokat.": ("Egerben", "kulcsokat"),
    "Våra grannar köpte två gamla hus i Ystad och tappade nycklarna.": ("Ystad", "nycklarna"),
    "معلّمتي الجديدة تسكن في الرِّياض": ("الرياض", "معلمتي"),
    "הַמּוֹרָה שלי גרה בְּחיפה": ("המורה", "בחיפה"),
    "Nasi sąsiedzi kupili dwa stare domy pod Krakowem i zgubili klucze.": ("Krakowem", "klucze"),
}
BARE = [(text, word) for text, found in SAID.items() for word in found]


def says(context: Context, text: str) -> bool:
    return any(text in one.content for one in context.messages)


async def test_words_are_found_bare_and_in_a_question_of_another_language(tmp_path: Path, storage: StorageType) -> None:
    async with talking(tmp_path, max_context_tokens=1000) as talk:
        await talk.remember(every_n=500, storage=storage)
        for text in SAID:
            await talk.say(text)
        for number in range(12):
            await talk.say(f"Filler {number}: " + "nothing much happened by the river on that day. " * 12)
        for text, word in BARE:
            # What was asked earlier holds the word as well, and stemmed as a question is.
            for asked in (f"{word}?", f"What was that about {word}?", word):
                reply = await talk.say(asked)
                assert reply.context is not None
                assert says(reply.context, text), asked


async def test_a_search_and_the_rarest_word_of_what_is_cut(tmp_path: Path) -> None:
    filler = "Und dann war noch der Garten mit dem Fluss, den Steinen und dem Brot. " * 30
    async with talking(tmp_path, max_context_tokens=1000) as talk:
        await talk.remember(every_n=500)
        await talk.say(f"{filler} Die Häuser sind verkauft. {filler}")
        for number in range(8):
            await talk.say(f"{number} {filler}")
        reply = await talk.say("Tell me about Häuser again, please.")
        assert reply.context is not None
        assert says(reply.context, "Die Häuser sind verkauft.")
        page = await talk.services.search.page(SCOPE, "Häuser")
        assert "Die Häuser sind verkauft." in " ".join(one.text for one in page.found)
