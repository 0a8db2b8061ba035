"""Tests of quotes: answers, facts and profiles that repeat forgotten text without being derived from it."""

import json
from datetime import timedelta

import pytest

from records.facts import NewFact
from records.forgetting import ForgetRequest, RemainingQuotes
from records.messages import NewMessage, Role
from records.scopes import Scope
from storage.erasure.quotes import MAX_WORDS
from storage.schema.portable_tables import FACTS, PROFILES, VERSIONS
from storage.stores.json import JsonStore
from storage.stores.memory_store import MemoryStore
from tests.contract.conftest import ANNA, BORIS, NOW, TOPIC, fold_messages, open_reader, open_transaction
from tests.contract.test_forgetting import put_row

SECRET = "My code word is heliotrope."


class TimedTalk:
    """A conversation whose messages are one minute apart."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.count = 0

    async def say(
        self, text: str, answer: str = "Noted.", *, knew: object = None, scope: Scope = ANNA
    ) -> tuple[int, int]:
        """Store a question and its answer, and return both ids. `knew`: id ranges in the prompt, None if unknown."""
        explanation = "" if knew is None else json.dumps({"recent": knew})
        [asked] = await self.store.append_messages(scope, [self._draft("user", text)])
        [answered] = await self.store.append_messages(
            scope, [self._draft("assistant", answer, turn=asked.turn, explanation=explanation)]
        )
        return asked.id, answered.id

    def _draft(self, role: Role, text: str, *, turn: int | None = None, explanation: str = "") -> NewMessage:
        self.count += 1
        at = NOW + timedelta(minutes=self.count)
        return NewMessage(role=role, content=text, created_at=at, speaker="Anna", turn=turn, explanation=explanation)

    async def preview_quotes(self, *ids: int, with_quotes: bool = False) -> RemainingQuotes:
        what = ForgetRequest(what="messages", ids=ids, with_quotes=with_quotes)
        return (await self.store.forgetting.preview_deletion(ANNA.owner, what)).quotes

    async def list_texts(self) -> list[str]:
        return [message.content for message in await self.store.timeline.read_page(ANNA, limit=999)]


async def test_answers_repeating_forgotten_word_are_quotes(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    await talk.say("Hello.", "Good morning.")
    first, _ = await talk.say(SECRET)
    _, known = await talk.say("What is it?", "Your code word was Heliotrope!")
    _, again = await talk.say("Again?", "heliotrope")
    _, plural = await talk.say("Again?", "Heliotropes, as I said.")
    await talk.say("Tell me of the heliotrope.", "The heliotrope grows in Peru.")
    await talk.say("Thanks.", "Good evening.")
    left = await talk.preview_quotes(first, first + 1)
    assert left == RemainingQuotes(answers=(known, again, plural), others=2)
    what = ForgetRequest(what="messages", ids=(first, first + 1), with_quotes=True)
    taken = await store.forgetting.forget(ANNA.owner, what, now=NOW)
    assert taken.messages == 5
    assert taken.quotes == RemainingQuotes(others=2), "what the owner said of it again, and the answer to that"
    assert "heliotrope" not in await talk.list_texts()
    assert (await store.forgetting.forget(ANNA.owner, what, now=NOW)).is_empty


async def test_quoting_answer_stays_when_forgetting_without_quotes(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    first, answer = await talk.say(SECRET, "Heliotrope, understood.")
    taken = await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(first,)), now=NOW)
    assert (taken.messages, taken.quotes) == (1, RemainingQuotes(answers=(answer,)))
    assert await talk.list_texts() == ["Heliotrope, understood."]


async def test_words_used_before_are_not_quotes(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    await talk.say("I work in Thessaloniki.")
    first, _ = await talk.say("I met a friend in Thessaloniki.")
    await talk.say("Where do I work?", "In Thessaloniki.")
    assert await talk.preview_quotes(first) == RemainingQuotes(others=2), "but they still stand there"


async def test_finds_quotes_of_and_in_earlier_versions(store: MemoryStore) -> None:
    """The words were in an earlier text of the message, and the quote is in an earlier text of an answer."""
    talk = TimedTalk(store)
    first, _ = await talk.say(SECRET)
    _, answer = await talk.say("What is it?", "Heliotrope.", knew=[[1, 2]])
    _, again = await talk.say("And now?", "It is heliotrope.", knew=[[1, 4]])
    await store.forgetting.replace_message_text_if_changed(
        ANNA, first, "I have no code word.", reason="edited", now=NOW
    )
    await store.forgetting.replace_message_text_if_changed(
        ANNA, again, "I do not know.", reason="superseded", now=NOW, explanation='{"recent":[]}'
    )
    assert (await talk.preview_quotes(first)).answers == (answer, again)
    await store.forgetting.forget(ANNA.owner, ForgetRequest(what="messages", ids=(first,), with_quotes=True), now=NOW)
    assert [row for row in await rows_of(store, VERSIONS.name) if "heliotrope" in str(row)] == []


async def rows_of(store: MemoryStore, table: str) -> list[tuple[object, ...]]:
    async with open_reader(store) as reader:
        return [tuple(row) for row in await reader.fetch_rows(f"SELECT * FROM {table}")]  # noqa: S608


async def test_facts_and_profiles_without_own_source_are_quotes(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say(SECRET)
    told, _ = await talk.say("I like the heliotrope.")
    later = NOW + timedelta(hours=1)
    for number, text, sources in (
        (1, "Anna's code word is heliotrope.", []),
        (2, "Anna likes the heliotrope.", [told]),
        (3, "Anna has a cat.", []),
    ):
        made = {"id": number, "text": text, "kind": "personal", "source_ids": sources, "observed_at": later.isoformat()}
        await put_row(store, FACTS, created_at=later.isoformat(), **made)
    await put_row(
        store, PROFILES, id=1, text="Her code word is heliotrope.", created_at=later.isoformat(), last_summary_id=0
    )
    left = await talk.preview_quotes(first)
    assert (len(left.facts), len(left.profiles)) == (1, 1)
    taken = await store.forgetting.forget(
        ANNA.owner, ForgetRequest(what="messages", ids=(first,), with_quotes=True), now=NOW
    )
    assert (taken.facts, taken.profiles) == (1, 1)
    assert [fact.id for fact in await store.facts.list_all_facts(ANNA.owner)] == [2, 3]


async def test_answer_repeating_forgotten_manual_fact_is_quote(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    at = NOW
    await store.facts.add_fact(
        ANNA.owner,
        NewFact(
            text="Anna's code word is heliotrope.",
            kind="personal",
            subject="",
            source_ids=(),
            observed_at=at,
            valid_from=at,
        ),
        now=at,
    )
    await talk.say("Hello.")
    _, answer = await talk.say("What is it?", "Heliotrope.")
    forgotten = await store.forgetting.preview_deletion(ANNA.owner, ForgetRequest(what="facts", ids=(1,)))
    assert forgotten.quotes == RemainingQuotes(answers=(answer,))


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (SECRET, "Anna's code word is heliotrope."),
        ("I live in Lisbon near the river.", "Anna lives in Lisbon."),  # no word of it is rare
        ("I live in Lisbon near the river.", "Anna wohnt in Lissabon."),
    ],
)
async def test_source_message_of_forgotten_fact_counts_as_remaining_quote(
    store: MemoryStore, told: str, text: str
) -> None:
    """A receipt once said that nothing was left of a forgotten home, and the next answer named it."""
    talk = TimedTalk(store)
    first, _ = await talk.say(told)
    at = (NOW + timedelta(hours=1)).isoformat()
    await put_row(store, FACTS, id=1, text=text, kind="personal", source_ids=[first], observed_at=at, created_at=at)
    forgotten = await store.forgetting.preview_deletion(ANNA.owner, ForgetRequest(what="facts", ids=(1,)))
    assert forgotten.quotes == RemainingQuotes(others=1)


async def test_forgetting_quotes_deletes_their_summaries(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say(SECRET)
    _, answer = await talk.say("What is it?", "Heliotrope.")
    stored = await store.timeline.read_page(ANNA)
    await fold_messages(store, ANNA, stored[:2])
    await fold_messages(store, ANNA, stored[2:])
    taken = await store.forgetting.forget(
        ANNA.owner, ForgetRequest(what="messages", ids=(first,), with_quotes=True), now=NOW
    )
    assert (taken.messages, taken.summaries) == (2, 2)
    left = await store.timeline.read_page(ANNA)
    assert answer not in [message.id for message in left]
    assert [message.is_active for message in left] == [True, True]
    assert await store.list_summaries(ANNA, active_only=False) == []


async def test_searches_quotes_in_all_topics_of_owner_only(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say(SECRET, scope=TOPIC)
    _, elsewhere = await talk.say("What is it?", "Heliotrope.", scope=BORIS)
    await talk.say("What is it?", "Heliotrope.")
    what = ForgetRequest(what="messages", ids=(first,))
    assert (await store.forgetting.preview_deletion(TOPIC.owner, what)).quotes.answers == (elsewhere,)


async def test_forgotten_number_is_not_confused_with_message_dates(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    await talk.say("Hello.")
    first, _ = await talk.say(f"My PIN is {NOW.year}, and my bell says Anna.")
    _, answer = await talk.say("What is it?", f"{NOW.year}")
    _, bell = await talk.say("And the other?", "Anna")
    assert await talk.preview_quotes(first) == RemainingQuotes(answers=(answer, bell))


async def test_finds_quotes_beside_imported_messages(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    await talk.say("Hello.")
    async with open_transaction(store) as tx:
        await tx.execute("UPDATE messages SET id = id - 10, turn_id = turn_id - 10")
    if isinstance(store, JsonStore):
        await store.flush_files()  # no method changes an id, and so no journal follows it
    first, _ = await talk.say(SECRET)
    _, answer = await talk.say("What is it?", "Heliotrope.")
    assert (await talk.preview_quotes(first)).answers == (answer,)


async def test_quotes_are_incomplete_when_message_has_too_many_words(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say(" ".join(f"walrus{number}" for number in range(MAX_WORDS + 1)))
    assert not (await talk.preview_quotes(first)).is_complete


async def test_short_number_is_not_a_quote(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say("My 3 cats live at number 12.")
    await talk.say("A recipe?", "Beat 3 eggs, bake for 12 minutes.")
    assert await talk.preview_quotes(first) == RemainingQuotes()


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("I earn 85000 euros a year.", "Your salary: 85,000."),
        ("In 2025, 85,000 euros a year were mine.", "That is 85000 of them."),
        ("My card is 4929 1234 5678 9012", "It is 4929123456789012."),
        ("Call me at +49 170 1234567", "Dial +491701234567 then."),
        ("My card is 4929123456789012", "It is 4929 1234 5678 9012."),
        ("Meine IBAN ist DE89 3704 0044 0532 0130 00.", "Notiert: DE89370400440532013000."),
        ("My IBAN is GB29NWBK60161331926819.", "It is GB29 NWBK 6016 1331 9268 19."),
        ("My IBAN is DE89370400440532013000.", "It is DE89 3704 0044 0532 0130 00."),
    ],
)
async def test_long_number_is_quote_in_any_digit_grouping(store: MemoryStore, said: str, answer: str) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say(said)
    _, quoting = await talk.say("What was it?", answer)
    await talk.say("How far is the sun?", "About 149,000,000 km, and 85 km more.")
    assert await talk.preview_quotes(first) == RemainingQuotes(answers=(quoting,))


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("My order 2026112200153 is late.", "The fair opens in 2026."),
        ("My order 2026112200153 is late.", "2026"),
        ("See https://x.com/nasa/status/1862345678901234567", "The telegraph reached Omaha in 1862."),
        ("Our budget is 1000000000 dollars.", "About 1000 people came."),
    ],
)
async def test_first_digits_of_number_are_not_a_quote(store: MemoryStore, said: str, answer: str) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say(said)
    await talk.say("Tell me something.", answer)
    assert await talk.preview_quotes(first) == RemainingQuotes()


RECIPE = (
    "Here is a simple cake recipe: beat 3 eggs with sugar, add flour and butter, and pass it through a sieve. "
    "Bake for 40 minutes, then let it rest for a day. No special code of baking is needed."
)
ESSAY = (
    "Freedom is a big word. A city such as Paris or Lisbon shows how people pass their days, "
    "and every code of law tries to say what my neighbour may do."
)


async def test_everyday_words_are_not_quotes_in_young_chat(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say("My pass code for Lisbon is 4417, and I leave in 3 days.")
    await talk.say("A cake recipe, please.", RECIPE)
    await talk.say("Write an essay on freedom.", ESSAY)
    _, number = await talk.say("Which number did I tell?", "It was 4417.")
    _, run = await talk.say("What was it for?", "That was your pass code: for Lisbon.")
    _, alone = await talk.say("Which town?", "Lisbon.")
    assert (await talk.preview_quotes(first)).answers == (number, run, alone)


@pytest.mark.parametrize(
    ("told", "others", "quote"),
    [
        (
            "Mein Schlüssel liegt unter dem Blumentopf im Garten, 2 Schritte links.",
            "Für den Kuchen: 2 Eier, Mehl und Zucker im Garten mischen, links rühren.",
            "Er liegt unter dem Blumentopf im Garten.",
        ),
        (
            "Мой код от сейфа 5821, а ключ лежит у бабушки.",
            "Рецепт: 5 яиц, мука и сахар. Код выпечки прост: печь, пока ключ не повернётся.",
            "Код от сейфа: 5821.",
        ),
        (
            "我的保险箱密码是写在厨房日历后面的。",
            "蛋糕食谱：三个鸡蛋，面粉和糖，在厨房里搅拌。",
            "密码是写在厨房日历后面的。",
        ),
        (
            "My sister Wilhelmina is pregnant, due in 5 months.",
            "A sister city has 5 parks, and months of sun.",
            "Congratulations to Wilhelmina!",
        ),
        ("我最喜欢的演员是欧阳娜娜。", "我们可以今天一起吃饭吗？今天天气很好。", "欧阳娜娜演过很多电影。"),
        ("我的老师是诸葛孔明先生。", "今天天气很好，我喜欢在学校里吃饭。", "诸葛孔明很聪明。"),
        ("上司は鈴木一郎です。", "今日は天気がいいです。学校に行きました。", "鈴木一郎さんに会いましょう。"),
        ("リスボンに住んでいます。", "友達と一緒に買い物をしました。", "リスボンは暖かい。"),
    ],
)
async def test_word_sequences_and_rare_words_are_quotes_in_any_language(
    store: MemoryStore, told: str, others: str, quote: str
) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say(told)
    await talk.say("?", others)
    _, answer = await talk.say("!", quote)
    assert (await talk.preview_quotes(first)).answers == (answer,)


@pytest.mark.parametrize("phrase", ["吃饭睡觉", "洗衣做饭", "记得带伞", "腰酸背痛", "加班熬夜", "牛奶面包"])
async def test_everyday_four_character_chinese_phrase_is_not_a_quote(store: MemoryStore, phrase: str) -> None:
    """It is no quote in a long answer of a young chat, or in any answer once its words were used before."""
    talk = TimedTalk(store)
    first, _ = await talk.say(f"我今天{phrase}。")
    long = f"一个人的健康与许多小事有关：早起、运动、读书、{phrase}、见朋友，还要少看手机，多晒太阳，心里才会安静下来。"
    await talk.say("怎样生活？", long)
    assert await talk.preview_quotes(first) == RemainingQuotes()
    later, _ = await talk.say(f"昨天也{phrase}。")
    await talk.say("嗯？", f"{phrase}。")
    assert (await talk.preview_quotes(later)).answers == ()


async def test_name_repeated_in_long_text_is_quote(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    first, _ = await talk.say("我最喜欢的演员是欧阳娜娜。")
    about = "欧阳娜娜是一位大提琴家，也演过许多电影和电视剧，常常在各地举办音乐会。很多年轻人因为欧阳娜娜开始学琴。"
    _, answer = await talk.say("她是谁？", about)
    assert (await talk.preview_quotes(first)).answers == (answer,)


@pytest.mark.parametrize(
    ("told", "other", "quote"),
    [
        (
            "Meine Großmutter hat den Zweitschlüssel.",
            "Das Mädchen brachte Kuchen und Wein in den Wald: Eine halbe Stunde vom Dorf wohnte seine Großmutter.",
            "Die Großmutter hat ihn.",
        ),
        (
            "У меня аллергия на арахис.",
            "Для соуса всё смешать, довести до кипения и посыпать сверху: подойдут кунжут, фундук или арахис.",
            "На арахис.",
        ),
        (
            "Mi fontanero cobra demasiado.",
            "Faltan manos en muchos oficios que nadie quiere aprender ya: albañil, herrero, fontanero o zapatero.",
            "El fontanero.",
        ),
        (
            "O meu divórcio sai em maio.",
            "A personagem do romance muda de cidade e aprende a viver sozinha depois de um divórcio, longe da irmã.",
            "O divórcio.",
        ),
    ],
)
async def test_everyday_non_english_word_is_quote_only_in_short_answer(
    store: MemoryStore, told: str, other: str, quote: str
) -> None:
    """A tokenizer splits everyday words of other languages as it splits rare English words."""
    talk = TimedTalk(store)
    first, _ = await talk.say(told)
    await talk.say("?", other)
    _, answer = await talk.say("!", quote)
    assert await talk.preview_quotes(first) == RemainingQuotes(answers=(answer,))


async def test_expired_archives_are_not_searched_for_quotes(store: MemoryStore) -> None:
    talk = TimedTalk(store)
    await talk.say(SECRET)
    await talk.say("What is it?", "Heliotrope.")
    what = ForgetRequest(what="archives", until=NOW + timedelta(days=1))
    assert (await store.forgetting.preview_deletion(ANNA.owner, what)).quotes == RemainingQuotes()


async def test_finds_quote_in_answer_of_another_language(store: MemoryStore) -> None:
    """The forgotten text and the answer are stemmed by the rules of different languages."""
    talk = TimedTalk(store)
    first, _ = await talk.say("Mein geheimes Codewort ist von heute an Gartenlauben, und das soll niemand wissen.")
    _, answer = await talk.say("What is it?", "You told me that the word which you want to keep is Gartenlauben.")
    assert answer in (await talk.preview_quotes(first)).answers
