"""Files as people drop them in: packed with other things, of one temporary chat, with headings in any language."""

import json
import struct
from datetime import datetime
from typing import Any

import pytest

from records.errors import ImportRefused
from tests.unit.transfer.talk import zip_files
from tests.unit.transfer.test_exporters import TURNS, pack
from tests.unit.transfer.test_real_shapes import WALNUTS, list_texts, read_history

QUESTION, ANSWER = WALNUTS
TALK = json.dumps([{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]).encode()
APPLE_DOUBLE = struct.pack(">II16sH", 0x00051607, 0x00020000, b"Mac OS X        ", 2) + bytes(80)
LOCKED = b"PK\x03\x04" + bytes(60)


@pytest.mark.parametrize("outer", ["x.zip", "x.tgz"])
@pytest.mark.parametrize("beside", ["._chat.json", "a/._chat.json", "__MACOSX/._chat.json", ".DS_Store"])
def test_ignores_what_macos_adds_to_archives(outer: str, beside: str) -> None:
    assert list_texts(read_history(pack(outer, {beside: APPLE_DOUBLE, "chat.json": TALK}), outer)) == WALNUTS


@pytest.mark.parametrize("inner", ["chats.tgz", "chats.zip", "chats.tar.gz"])
@pytest.mark.parametrize("beside", ["README.txt", "index.html", "list.csv"])
def test_unpacks_archive_beside_files_that_hold_no_talk(inner: str, beside: str) -> None:
    about = {"README.txt": b"My chats of May", "index.html": b"<html>See the files", "list.csv": b"name,size\na,1\n"}
    files = {beside: about[beside], inner: pack(inner, {"chat.json": TALK})}
    assert list_texts(read_history(pack("x.tgz", files), "x.tgz")) == WALNUTS


def test_reads_talk_beside_a_locked_archive() -> None:
    assert list_texts(read_history(zip_files({"talk.json": TALK, "files/secret.zip": LOCKED}), "x.zip")) == WALNUTS


def test_refuses_locked_archive_alone() -> None:
    with pytest.raises(ImportRefused, match="damaged or locked"):
        read_history(zip_files({"secret.zip": LOCKED}), "x.zip")


def make_chatgpt_conversation(**more: Any) -> dict[str, Any]:
    def make_node(role: str, words: str, parent: str | None) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [words]}
        return {"parent": parent, "message": {"id": role, "author": {"role": role}, "content": content}}

    nodes = {"user": make_node("user", QUESTION, None), "assistant": make_node("assistant", ANSWER, "user")}
    return {"title": "W", "create_time": 1714557600, "mapping": nodes, "current_node": "assistant", **more}


@pytest.mark.parametrize("wrapper", ["", "data"])
def test_leaves_out_and_counts_a_temporary_chat_that_is_alone(wrapper: str) -> None:
    conversations = [make_chatgpt_conversation(is_do_not_remember=True)]
    history = read_history({"note": "x" * 30_000, wrapper: conversations} if wrapper else conversations)
    assert not history.messages
    assert any("temporary" in note for note in history.notes)


@pytest.mark.parametrize(
    "data",
    [
        {"data": {"results": [{"memory": "Likes walnuts"}, {"memory": "Has a boat"}]}},
        {"anna": [{"memory": "Likes walnuts"}], "tom": [{"memory": "Has a boat"}]},
        '{"id": "1", "memory": "Likes walnuts", "hash": "h"}\n{"id": "2", "memory": "Has a boat", "hash": "i"}\n',
        '{"memory": "Likes walnuts"}\n{"memory": "Has a boat"}\n{"memory": "cut',
    ],
    ids=["wrapped twice", "by person", "JSON lines", "a damaged line"],
)
def test_offers_memories_of_mem0_wherever_they_are_listed(data: object) -> None:
    [question] = read_history(data).questions
    assert question.options == ("Likes walnuts", "Has a boat")


def test_values_called_memory_are_no_memories_outside_lists() -> None:
    with pytest.raises(ImportRefused):
        read_history({"spec": {"containers": [{"name": "a", "resources": {"limits": {"memory": "512Mi"}}}]}})


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Dijiste:", "ChatGPT dijo:"),
        ("**Hai detto:**", "**ChatGPT ha detto:**"),
        ("##### Powiedziałeś(-aś):", "##### ChatGPT powiedział:"),
        ("**Jij:**", "**Claude:**"),
        ("## Turn {0}: User", "## Turn {0}: Assistant"),
        ("## #{0} User", "## #{0} Assistant"),
    ],
)
def test_an_assistants_name_tells_who_asks_in_any_language(asked: str, answered: str) -> None:
    """As the page of ChatGPT names the two sides, and as exporters do."""
    marked = (f"{(asked, answered)[n % 2].format(n // 2 + 1)}\n\n{words}" for n, words in enumerate(TURNS))
    history = read_history("\n\n".join(marked) + "\n", "chat.md")
    assert [(said.role, said.content) for said in history.messages] == [
        ("user" if n % 2 == 0 else "assistant", words) for n, words in enumerate(TURNS)
    ]


@pytest.mark.parametrize(
    "document",
    [
        "## 1.1\n\n### Core\n\n- a\n\n### Claude\n\n- b\n\n## 1.0\n\n### Core\n\n- c\n\n### Claude\n\n- d",
        "Pricing: see\nChatGPT: 20\nPricing: see\nChatGPT: 25",
        "**Price:**\n20\n**ChatGPT:**\ngood\n**Price:**\n21\n**Gemini:**\ngood",
        "[user]\nname = Anna\n\n[model]\nname = small",
    ],
    ids=["changelog", "table", "comparison", "settings"],
)
def test_rejects_document_that_only_names_assistants(document: str) -> None:
    with pytest.raises(ImportRefused):
        read_history(f"# Notes\n\n{document}\n", "notes.md")


@pytest.mark.parametrize(
    "heading", ["## {0} | {1}", "**{0}** at {1}", "## {0}, {1}", "## {0} on {2}", "### {0} - {2}", "**{0}** — {1}"]
)
def test_reads_date_behind_a_heading_in_the_ways_of_exporters(heading: str) -> None:
    sides = (("User", "2025-11-21 18:09:01", "Nov 21, 2025, 6:09:01 PM", QUESTION),
             ("Assistant", "2025-11-21 18:09:05", "Nov 21, 2025, 6:09:05 PM", ANSWER))  # fmt: skip
    said = read_history("\n\n".join(f"{heading.format(*side)}\n\n{side[3]}" for side in sides), "chat.md").messages
    assert [message.content for message in said] == WALNUTS
    assert [message.created_at.replace(tzinfo=None) for message in said] == [
        datetime.fromisoformat(side[1]) for side in sides
    ]
