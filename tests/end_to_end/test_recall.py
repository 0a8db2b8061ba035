"""Folded messages are recalled for a question in six languages, by their words and by meaning.

The snippet budget has room for one or two messages only, so those in the prompt were chosen by the search.
"""

import asyncio
from dataclasses import dataclass

import pytest

from tests.end_to_end.harness import SUMMARIES, LocalServers, Member, Process

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOM = "45"


@dataclass(frozen=True, kw_only=True)
class RecallScenario:
    """A fact, other messages, a question with a word of the fact, and a question without one."""

    fact: str
    talk: tuple[str, ...]
    asked: str
    paraphrased: str


TOLD = {
    "russian": RecallScenario(
        fact="Мою собаку зовут Бублик, она боится грозы.",
        talk=("Завтра обещают дождь.", "Купил новый велосипед.", "Поезд опоздал на час.", "Читаю длинный роман."),
        asked="Напомни, как зовут собаку?",
        paraphrased="Какая кличка у моего пса?",
    ),
    "chinese": RecallScenario(
        fact="我妹妹在成都的医院当护士。",
        talk=("明天可能会下雨。", "我买了一辆新自行车。", "火车晚点了一个小时。", "我在读一本很长的小说。"),
        asked="妹妹在哪里上班？",
        paraphrased="家里谁是照顾病人的？",
    ),
    "arabic": RecallScenario(
        fact="أختي تعمل ممرضة في بيروت.",
        talk=("قد تمطر غدا.", "اشتريت دراجة جديدة.", "تأخر القطار ساعة.", "أقرأ رواية طويلة."),
        asked="أين تعمل الأخت؟",
        paraphrased="من في العائلة يعتني بالمرضى؟",
    ),
    "german": RecallScenario(
        fact="Meine Schwester züchtet Alpakas auf einem Hof bei Bremen.",
        talk=(
            "Morgen soll es regnen.",
            "Ich habe ein neues Fahrrad gekauft.",
            "Der Zug kam eine Stunde zu spät.",
            "Ich lese einen langen Roman.",
        ),
        asked="Was für Alpakas wurden da gezüchtet?",
        paraphrased="Wer in der Familie hält Tiere?",
    ),
    "turkish": RecallScenario(
        fact="Kız kardeşim İzmir'de diş hekimi olarak çalışıyor.",
        talk=(
            "Yarın yağmur yağacakmış.",
            "Yeni bir bisiklet aldım.",
            "Tren bir saat gecikti.",
            "Uzun bir roman okuyorum.",
        ),
        asked="Kardeşimin mesleği ne?",
        paraphrased="Ailemde doktor olan var mı?",
    ),
    "japanese": RecallScenario(
        fact="妹は札幌の病院で看護師をしています。",
        talk=(
            "明日は雨が降るそうです。",
            "新しい自転車を買いました。",
            "電車が一時間遅れました。",
            "長い小説を読んでいます。",
        ),
        asked="札幌で働いているのは誰ですか？",
        paraphrased="家族に医療の仕事をしている人はいますか？",
    ),
}


async def tell(servers: LocalServers, bot: Process, person: Member, told: RecallScenario) -> None:
    """Send the scenario's messages, and wait until they are folded and indexed.

    Between checks it waits for log lines, which costs nothing.
    """
    await person.set_up_memory(every_n=3)
    for text in (*told.talk[:2], told.fact, *told.talk[2:], *"1234"):
        await person.ask(text)
    # Archived turns are repeated before active ones. With fewer than three active ones the fact is not among them.
    unsummarized = "SELECT 1 FROM messages WHERE user_id = ? AND role = 'user' AND is_active = 1 LIMIT 1 OFFSET 2"
    while (since := bot.log.last) and servers.memory.fetch_rows(unsummarized, person.id):
        await bot.wait_for_log_line("summarized messages", since=since)
    while (since := bot.log.last) and "Search index" in await person.ask("/summary_status"):
        await bot.wait_for_log_line("every message is embedded", since=since)


@pytest.mark.parametrize("embedding", ["none", "local"])
async def test_folded_messages_are_recalled_by_words_and_by_meaning(own_servers: LocalServers, embedding: str) -> None:
    own_servers.model.set_default_answer(SUMMARIES, "They talked.")  # too short to be in another language than the talk
    async with own_servers.run_bot(EMBEDDING_MODEL=embedding, SNIPPET_BUDGET=ROOM) as bot:
        people = {language: own_servers.add_person() for language in TOLD}
        await asyncio.gather(*(tell(own_servers, bot, people[language], told) for language, told in TOLD.items()))
        for language, told in TOLD.items():
            for question in (told.asked,) if embedding == "none" else (told.asked, told.paraphrased):
                await people[language].ask(question)
                prompt = own_servers.list_chat_requests()[-1]
                assert told.fact in prompt[-1]["content"], f"{language}: {question}"
                assert not any(told.fact in message["content"] for message in prompt[:-1]), "it is not a recent turn"
                assert not all(text in prompt[-1]["content"] for text in told.talk), "not everything fits"
