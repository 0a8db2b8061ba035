"""Documents, settings and chats among people that resemble a talk with an assistant, and are none."""

import gzip
import json
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_more_shapes import SECONDS
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history

QUESTION, ANSWER = WALNUTS
MILLIS = SECONDS * 1000
TALK = json.dumps([{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]).encode()


@pytest.mark.parametrize(
    "heading",
    ["### Prompt 1", "**Prompt 1:** Fog", "### Prompt #2", "### Response 1", "### Model 2", "### Step 1: User",
     "### Step 2 (AI)", "### 我"],
)  # fmt: skip
def test_keeps_a_heading_of_an_answer_in_the_answer(heading: str) -> None:
    answer = f"Sure.\n\n{heading}\n\nA cottage in fog"
    history = read_history(f"## You\n\nTwo drafts?\n\n## ChatGPT\n\n{answer}\n\n## You\n\nThanks\n", "chat.md")
    assert list_texts(history) == ["Two drafts?", answer, "Thanks"]


@pytest.mark.parametrize(
    "document",
    [
        "## 1.1\n\n### Added\n\n- x.org/?a=b\n\n### Fixed\n\n- b\n\n## 1.0\n\n### Added\n\n- c\n\n### Fixed\n\n- d",
        "## Monday\n\n### Morning\n\nWhy?\n\n### Evening\n\nb\n\n## Tuesday\n\n### Morning\n\nc?\n\n### Evening\n\nd",
        "## Item 1\n\n**Topic:** Paint?\n\n**Decision:** Yes\n\n## Item 2\n\n**Topic:** Key?\n\n**Decision:** No",
        "### Ate\n\nSoup?\n\n### Did\n\nRan" + "\n\n### Ate\n\nRice\n\n### Did\n\nSat" * 3,
        "## Prompt 1\n\nBe a poet.\n\n### Output\n\nA poem\n\n## Prompt 2\n\nBe a cook.\n\n### Output\n\nRice?",
        "### Request 1\n\nGET /?a=b\n\n### Response 1\n\n200\n\n### Request 2\n\nGET /\n\n### Response 2\n\n404",
        "## 我们的使命\n\n吃饭？\n\n## 我们的团队\n\n人\n\n## 联系\n\nx",
        "我：你好吗\n张三：很好\n我：明天见\n张三：好",
        "Q: Which nut?\nA: walnut\nB: pecan\n\nQ: Which soil?\nA: deep\nB: wet",
        "Some words.\n" * 20 + "Q: Who?\nA: Tom",
        "# Song\n\n## D\n\nSome words\n\n## A\n\nOther words\n\n## D\n\nMore",
        "U: 230 V\nR: 10 Ohm\nU: 12 V\nR: 5 Ohm",
    ],
    ids=[
        *("changelog", "diary", "minutes", "few questions", "prompts", "API", "pages", "chat", "quiz", "one question"),
        *("chords", "circuit"),
    ],
)
def test_rejects_document_whose_headings_alternate(document: str) -> None:
    with pytest.raises(ImportRefused):
        read_history(f"# Notes\n\n{document}\n", "notes.md")


@pytest.mark.parametrize(
    "messages",
    [
        [{"id": "1", "type": 0, "content": QUESTION, "timestamp": MILLIS, "author": {"username": "anna"}},
         {"id": "2", "type": 19, "content": ANSWER, "timestamp": MILLIS + 5, "author": {"username": "tom"}}],
        [{"type": 1, "talker": "anna", "content": QUESTION, "createTime": MILLIS},
         {"type": 49, "talker": "tom", "content": ANSWER, "createTime": MILLIS + 5}],
    ],
    ids=["Discord's API", "WeChat"],
)  # fmt: skip
def test_asks_which_person_is_the_user_when_types_are_numbers(messages: Any) -> None:
    history = read_history({"messages": messages})
    assert [(said.speaker, said.content) for said in history.messages] == [("anna", QUESTION), ("tom", ANSWER)]
    assert [question.options for question in history.questions] == [("anna (1)", "tom (1)", "None of them")]


def test_rejects_settings_whose_types_are_numbers() -> None:
    with pytest.raises(ImportRefused):
        read_history({"title": "x", "items": [{"type": 1, "value": "a"}, {"type": 2, "value": "b"}]})


def test_reads_side_from_user_type() -> None:
    said = [{"userType": "user", "text": QUESTION}, {"userType": "bot", "text": ANSWER}]
    assert [message.role for message in read_history(said).messages] == ["user", "assistant"]


def test_reads_memories_that_name_their_user_as_facts() -> None:
    memories = [{"id": "1", "content": "Likes tea", "user_id": "7", "created_at": "2024-05-01T10:00:00Z"}]
    assert read_history({"memories": memories}).format == "memories"


def test_ids_of_messages_with_user_ids_and_in_objects_stay() -> None:
    """They are hashes of the speaker, or of the position, as earlier versions read them."""
    own = [{"fromMe": True, "userId": "7", "body": QUESTION, "timestamp": MILLIS}]
    assert [said.speaker for said in read_history(own).messages] == ["Me"]
    told = {"b": {"role": "user", "content": QUESTION, "user": "u", "timestamp": MILLIS + 5},
            "a": {"role": "assistant", "content": ANSWER, "user": "b", "timestamp": MILLIS}}  # fmt: skip
    assert list_texts(read_history({"title": "x", "messages": told})) == [QUESTION, ANSWER]


def test_keeps_a_phone_number_as_speaker_after_a_time() -> None:
    history = read_history(f"2024-05-01 10:00:00 +49123\n{QUESTION}\n\n2024-05-01 10:00:05 tom\n{ANSWER}\n", "c.txt")
    assert [(said.speaker, said.content) for said in history.messages] == [("+49123", QUESTION), ("tom", ANSWER)]


@pytest.mark.parametrize("words", ["Continue\n## Turn 1: left", "Story\n*Exported goods are taxed*"])
def test_keeps_a_last_line_that_resembles_an_exporters(words: str) -> None:
    assert list_texts(read_history([{"role": "user", "content": words}, {"role": "assistant", "content": "x"}]))[0] == (
        words
    )


@pytest.mark.parametrize("beside", [b"\x1f\x8b\x08 damaged", gzip.compress(b"0" * 40_000_000)], ids=["damaged", "big"])
def test_ignores_packed_attachment_beside_a_readable_file(beside: bytes) -> None:
    assert list_texts(read_history(zip_files({"talk.json": TALK, "dump.sql.gz": beside}), "x.zip")) == WALNUTS


def test_refusal_of_nested_archives_names_the_whole_limit() -> None:
    packed = {f"{number}.gz": gzip.compress(b"0" * 12_000_000) for number in range(2)}
    with pytest.raises(ImportRefused, match="more than 16 MB"):
        read_history(zip_files(packed), "x.zip")
