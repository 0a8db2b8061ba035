"""Formatted messages, checklists and stories, through the running bot: their words are read as any other text."""

from typing import Any

import pytest

from playground.contents import edit_content, send_content
from tests.end_to_end.harness import LocalServers

pytestmark = pytest.mark.asyncio(loop_scope="module")

JPEG = b"\xff\xd8\xff\xe0 a small picture"


def rich(*blocks: Any) -> dict[str, Any]:
    return {"rich_message": {"blocks": list(blocks)}}


def paragraph(text: Any) -> dict[str, Any]:
    return {"type": "paragraph", "text": text}


TABLE = {
    "type": "table",
    "cells": [
        [{"text": {"type": "bold", "text": f"cell{row}x{column}"}} for column in range(20)] for row in range(150)
    ],
}
"""3,000 cells: more objects than an update of plain text can have."""


def asked(house: LocalServers) -> str:
    return str(house.chat_requests()[-1][-1]["content"])


async def test_a_pasted_page_is_answered_found_edited_and_replied_to(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="rich"):
        await ann.sets_up()
        since, world = ann.now, house.world
        quotes = paragraph("the innermost words")
        for _ in range(16):
            quotes = {"type": "blockquote", "blocks": [quotes]}
        heading = {"type": "heading", "size": 1, "text": "Walnut cake"}
        page = send_content(world, ann.id, ann.id, rich(heading, paragraph("Bake it."), quotes))
        await ann.hears("Noted.", since=since)
        assert "# Walnut cake\n\nBake it.\n\n> > > >" in asked(house)
        assert "Walnut cake" in await ann.asks("/search walnut")
        edit_content(world, ann.id, ann.id, page["message_id"], rich(paragraph("Hazelnut cake, says the page.")))
        since = ann.now
        await ann.hears(since=since)
        assert "Hazelnut" in await ann.asks("/search hazelnut")
        await ann.asks("Which one?", "Noted.", reply_to=page["message_id"])
        assert "Hazelnut cake, says the page." in asked(house)


async def test_a_table_of_three_thousand_cells_is_read(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="tables"):
        since = ann.now
        send_content(house.world, ann.id, ann.id, rich(TABLE))
        await ann.hears("Noted.", since=since)
        assert "**cell0x0** | **cell0x1**" in asked(house)


async def test_forwarded_and_in_a_group(house: LocalServers) -> None:
    ann = house.person()
    group = ann.within(house.group(ann, admins=[ann]))
    async with house.bot(DATA_DIR="forwarded"):
        since = ann.now
        news = rich({"type": "list", "items": [{"label": "1.", "blocks": [paragraph("Rain on Monday")]}]})
        send_content(house.world, ann.id, ann.id, news, forward_from="The News")
        await ann.hears("Noted.", since=since)
        assert "Forwarded from The News" in asked(house)
        assert "1. Rain on Monday" in asked(house)
        since = group.now
        mention = {"type": "mention", "text": "@keepsake_bot", "username": "keepsake_bot"}
        send_content(house.world, ann.id, group.chat_id, rich(paragraph("nothing for the bot")))
        send_content(house.world, ann.id, group.chat_id, rich(paragraph([mention, ", what is ", "new?"])))
        await group.hears("Noted.", since=since)
        assert asked(house).endswith("what is new?")
        assert "nothing for the bot" not in str(house.chat_requests())


async def test_pictures_in_a_page_are_looked_at_and_what_cannot_be_read_is_named(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="pictures"):
        sizes = [house.world.files.add("photo", name, JPEG).to_file_json() for name in ("one.jpg", "two.jpg")]
        photos = [
            {"type": "photo", "photo": [{**size, "width": 90, "height": 90}], "caption": {"text": f"Figure {number}"}}
            for number, size in enumerate(sizes)
        ]
        video = {"type": "video", "video": {"file_id": "v", "file_unique_id": "v"}}
        since = ann.now
        send_content(house.world, ann.id, ann.id, rich(paragraph("Compare these."), *photos, video))
        await ann.hears("Noted.", since=since)
        assert asked(house).count("'type': 'image_url'") == 2
        assert "Figure 0\n\nFigure 1" in asked(house).replace("\\n", "\n")
        await ann.hears("I can't read a video yet. I read your text only.", since=since)


async def test_checklists_are_read_and_nothing_new_is_met_with_silence(house: LocalServers) -> None:
    ann = house.person()
    async with house.bot(DATA_DIR="kinds"):
        since = ann.now
        tasks = [{"id": 1, "text": "milk"}, {"id": 2, "text": "eggs", "completion_date": 99}]
        send_content(house.world, ann.id, ann.id, {"checklist": {"title": "Shopping", "tasks": tasks}})
        await ann.hears("Noted.", since=since)
        assert "Shopping\n- [ ] milk\n- [x] eggs" in asked(house)
        chat = {"id": 555, "type": "private", "first_name": "Zed"}
        for content, said in (
            ({"story": {"chat": chat, "id": 7}}, "I can't read a story yet."),
            ({"hologram": {"file_id": "h"}}, "I can't read something new to me yet."),
            (rich(), "I can't read something new to me yet."),
            ({"game": {"title": "Chess", "description": "", "photo": []}}, "I can't read something new to me yet."),
        ):
            since = ann.now
            send_content(house.world, ann.id, ann.id, content)
            await ann.hears(said, since=since)
