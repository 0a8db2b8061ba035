"""Tests of formatted messages and checklists through the running bot: their text is read like any other text."""

from typing import Any

import pytest

from playground.contents import edit_content, send_content
from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")

JPEG = b"\xff\xd8\xff\xe0 a small picture"


def make_rich_message(*blocks: Any) -> dict[str, Any]:
    return {"rich_message": {"blocks": list(blocks)}}


def make_paragraph(text: Any) -> dict[str, Any]:
    return {"type": "paragraph", "text": text}


TABLE = {
    "type": "table",
    "cells": [
        [{"text": {"type": "bold", "text": f"cell{row}x{column}"}} for column in range(20)] for row in range(150)
    ],
}
"""A table of 3,000 cells. It has more objects than an update of plain text can have."""


def get_last_question(servers: LocalServers) -> str:
    return str(servers.list_chat_requests()[-1][-1]["content"])


async def test_rich_message_can_be_searched_edited_and_replied_to(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="rich"):
        await ann.set_up_memory()
        since, world = ann.last_event, servers.world
        quotes = make_paragraph("the innermost words")
        for _ in range(16):
            quotes = {"type": "blockquote", "blocks": [quotes]}
        heading = {"type": "heading", "size": 1, "text": "Walnut cake"}
        page = send_content(world, ann.id, ann.id, make_rich_message(heading, make_paragraph("Bake it."), quotes))
        await ann.wait_for_message("Noted.", since=since)
        assert "# Walnut cake\n\nBake it.\n\n> > > >" in get_last_question(servers)
        assert "Walnut cake" in await ann.ask("/search walnut")
        edit_content(
            world,
            ann.id,
            ann.id,
            page["message_id"],
            make_rich_message(make_paragraph("Hazelnut cake, says the page.")),
        )
        since = ann.last_event
        await ann.wait_for_message(since=since)
        assert "Hazelnut" in await ann.ask("/search hazelnut")
        await ann.ask("Which one?", "Noted.", reply_to=page["message_id"])
        assert "Hazelnut cake, says the page." in get_last_question(servers)


async def test_table_with_3000_cells_is_read(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="tables"):
        since = ann.last_event
        send_content(servers.world, ann.id, ann.id, make_rich_message(TABLE))
        await ann.wait_for_message("Noted.", since=since)
        assert "**cell0x0** | **cell0x1**" in get_last_question(servers)


async def test_rich_messages_are_read_when_forwarded_or_addressed_in_group(servers: LocalServers) -> None:
    ann = servers.add_person()
    group = ann.with_chat(servers.add_group(ann, admins=[ann]))
    async with servers.run_bot(DATA_DIR="forwarded"):
        since = ann.last_event
        news = make_rich_message(
            {"type": "list", "items": [{"label": "1.", "blocks": [make_paragraph("Rain on Monday")]}]}
        )
        send_content(servers.world, ann.id, ann.id, news, forward_from="The News")
        await ann.wait_for_message("Noted.", since=since)
        assert "Forwarded from The News" in get_last_question(servers)
        assert "1. Rain on Monday" in get_last_question(servers)
        since = group.last_event
        mention = {"type": "mention", "text": "@keepsake_bot", "username": "keepsake_bot"}
        send_content(servers.world, ann.id, group.chat_id, make_rich_message(make_paragraph("nothing for the bot")))
        send_content(
            servers.world, ann.id, group.chat_id, make_rich_message(make_paragraph([mention, ", what is ", "new?"]))
        )
        await group.wait_for_message("Noted.", since=since)
        assert get_last_question(servers).endswith("what is new?")
        assert "nothing for the bot" not in str(servers.list_chat_requests())


async def test_pictures_in_rich_message_are_shown_to_model_and_video_is_declined(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="pictures"):
        sizes = [servers.world.files.add("photo", name, JPEG).to_file_json() for name in ("one.jpg", "two.jpg")]
        photos = [
            {"type": "photo", "photo": [{**size, "width": 90, "height": 90}], "caption": {"text": f"Figure {number}"}}
            for number, size in enumerate(sizes)
        ]
        video = {"type": "video", "video": {"file_id": "v", "file_unique_id": "v"}}
        since = ann.last_event
        send_content(servers.world, ann.id, ann.id, make_rich_message(make_paragraph("Compare these."), *photos, video))
        await ann.wait_for_message("Noted.", since=since)
        assert get_last_question(servers).count("'type': 'image_url'") == 2
        assert "Figure 0\n\nFigure 1" in get_last_question(servers).replace("\\n", "\n")
        await ann.wait_for_message("I can't read a video yet. I read your text only.", since=since)


async def test_checklists_are_read_and_unknown_content_is_declined(servers: LocalServers) -> None:
    ann = servers.add_person()
    async with servers.run_bot(DATA_DIR="kinds"):
        since = ann.last_event
        tasks = [{"id": 1, "text": "milk"}, {"id": 2, "text": "eggs", "completion_date": 99}]
        send_content(servers.world, ann.id, ann.id, {"checklist": {"title": "Shopping", "tasks": tasks}})
        await ann.wait_for_message("Noted.", since=since)
        assert "Shopping\n- [ ] milk\n- [x] eggs" in get_last_question(servers)
        chat = {"id": 555, "type": "private", "first_name": "Zed"}
        for content, said in (
            ({"story": {"chat": chat, "id": 7}}, "I can't read a story yet."),
            ({"hologram": {"file_id": "h"}}, "I can't read something new to me yet."),
            (make_rich_message(), "I can't read something new to me yet."),
            ({"game": {"title": "Chess", "description": "", "photo": []}}, "I can't read something new to me yet."),
        ):
            since = ann.last_event
            send_content(servers.world, ann.id, ann.id, content)
            await ann.wait_for_message(said, since=since)
