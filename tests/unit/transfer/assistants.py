"""Sample exports of assistants (Claude, ChatGPT, Gemini and others) that all contain the same conversation."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from tests.unit.transfer.talk import TALK, ExpectedMessage, SampleFile, as_json, page_text, register_variety, zip_files

# Claude ------------------------------------------------------------------------------------------------------------


def _make_claude_message(one: ExpectedMessage, **more: Any) -> dict[str, Any]:
    at = one.at.isoformat(timespec="microseconds").replace("+00:00", "Z")
    sender = "human" if one.is_mine else "assistant"
    block = {"type": "text", "text": one.text, "citations": []}
    flat = f"This block is not supported.\n{one.text}"
    return {"uuid": f"m{one.number}", "sender": sender, "text": flat, "content": [block], "created_at": at} | more


def _make_claude_conversation(talk: Sequence[ExpectedMessage], **more: Any) -> dict[str, Any]:
    messages: list[Any] = [_make_claude_message(line) for line in talk]
    began = talk[0].at.isoformat()
    return {"uuid": "c1", "name": "", "created_at": began, "account": {}, "chat_messages": messages} | more


def _list_claude_sources(talk: Sequence[ExpectedMessage] = TALK) -> list[str]:
    return [f"import:claude:m{line.number}" for line in talk]


@register_variety("claude")
def claude_old_package() -> SampleFile:
    empty = {"uuid": "c0", "name": "empty", "created_at": "2024-01-01T00:00:00Z", "chat_messages": []}
    files: dict[str, str | bytes] = {
        "data/conversations.json": as_json([empty, _make_claude_conversation(TALK)]),
        "data/users.json": "[]",
        "data/x.png": b"PNG",
    }
    return SampleFile(data=zip_files(files), sources=_list_claude_sources())


@register_variety("claude")
def claude_answers_made_again() -> SampleFile:
    root, messages = "00000000-0000-4000-8000-000000000000", []
    for line in TALK:
        before = f"m{line.number - 1}" if line.number > 1 else root
        if not line.is_mine:
            again = _make_claude_message(line, uuid=f"old{line.number}", parent_message_uuid=before)
            messages.append(again | {"content": [{"type": "text", "text": "An answer that was thrown away"}]})
        messages.append(_make_claude_message(line, parent_message_uuid=before))
    return SampleFile(
        data=as_json([_make_claude_conversation(TALK, chat_messages=messages)]), sources=_list_claude_sources()
    )


@register_variety("claude")
def claude_blocks_of_all_kinds() -> SampleFile:
    thought = _make_claude_message(TALK[0], uuid="t") | {"content": [{"type": "thinking", "thinking": "hm"}]}
    around = [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "x", "input": {}}, None, 7]
    after = [{"type": "tool_result", "content": [{"type": "text", "text": "no"}]}, {"type": "token_budget"}]
    messages = [
        _make_claude_message(line) | {"content": [*around, {"type": "text", "text": line.text}, *after]}
        for line in TALK
    ]
    return SampleFile(
        data=as_json([_make_claude_conversation(TALK, chat_messages=[None, thought, *messages]), None]),
        sources=_list_claude_sources(),
    )


@register_variety("claude")
def claude_new_parts() -> SampleFile:
    manifest = {"data_files": [{"category": "conversations", "part": 0, "filename": "conversations-000.zip"}]}
    halves = [as_json([_make_claude_conversation(TALK[:3])]), as_json([_make_claude_conversation(TALK[3:], uuid="c2")])]
    parts = {
        f"conversations-00{n}.zip": zip_files({f"conversations-00{n}.json": half}) for n, half in enumerate(halves)
    }
    light = {"light_metadata-000.zip": zip_files({"users.json": "[]"})}
    return SampleFile(
        data=zip_files({"manifest.json": as_json(manifest), **parts, **light}), sources=_list_claude_sources()
    )


# ChatGPT -----------------------------------------------------------------------------------------------------------


def _make_chatgpt_node(name: str, parent: str | None, role: str, parts: list[Any], **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": parts}
    message = {"id": name, "author": {"role": role}, "content": content, "recipient": "all", "weight": 1.0}
    return {"id": name, "parent": parent, "children": [], "message": message | more}


def _make_chatgpt_conversation(talk: Sequence[ExpectedMessage], **more: Any) -> dict[str, Any]:
    """Return a ChatGPT conversation with hidden system and tool messages and with abandoned branches."""
    nodes: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": ["sys"], "message": None}}
    nodes["sys"] = _make_chatgpt_node("sys", "root", "system", [""], weight=0.0)
    before = "sys"
    for line in talk:
        stamp = line.at.timestamp()
        if not line.is_mine:
            nodes[f"left{line.number}"] = _make_chatgpt_node(
                f"left{line.number}", before, "assistant", ["Left"], create_time=stamp - 5
            )
            tool = {"content_type": "code", "text": "search()"}
            nodes[f"tool{line.number}"] = _make_chatgpt_node(
                f"tool{line.number}", before, "assistant", [], content=tool, recipient="web", create_time=stamp - 4
            )
            before = f"tool{line.number}"
        role = "user" if line.is_mine else "assistant"
        nodes[f"u{line.number}"] = _make_chatgpt_node(f"u{line.number}", before, role, [line.text], create_time=stamp)
        before = f"u{line.number}"
    return {"title": "x", "create_time": talk[0].at.timestamp(), "mapping": nodes, "current_node": before} | more


def _list_chatgpt_sources() -> list[str]:
    return [f"import:chatgpt:u{line.number}" for line in TALK]


@register_variety("chatgpt")
def chatgpt_package() -> SampleFile:
    files: dict[str, str | bytes] = {
        "conversations.json": as_json([_make_chatgpt_conversation(TALK)]),
        "shared_conversations.json": '[{"id": "x"}]',
        "chat.html": "",
    }
    return SampleFile(
        data=zip_files({**files, "user.json": "{}", "file-x.png": b"PNG"}), sources=_list_chatgpt_sources()
    )


@register_variety("chatgpt")
def chatgpt_numbered_files() -> SampleFile:
    forgotten = _make_chatgpt_conversation(TALK[:1], is_do_not_remember=True)
    halves = [
        [_make_chatgpt_conversation(TALK[4:])],
        [_make_chatgpt_conversation(TALK[:4]), forgotten, {"title": "without mapping"}],
    ]
    files = {f"conversations-00{number}.json": as_json(half) for number, half in enumerate(halves)}
    return SampleFile(data=zip_files(files), sources=_list_chatgpt_sources())


@register_variety("chatgpt")
def chatgpt_one_conversation() -> SampleFile:
    return SampleFile(data=as_json(_make_chatgpt_conversation(TALK)), sources=_list_chatgpt_sources())


@register_variety("chatgpt")
def chatgpt_without_a_current_node() -> SampleFile:
    return SampleFile(
        data=as_json([_make_chatgpt_conversation(TALK, current_node="nowhere")]), sources=_list_chatgpt_sources()
    )


@register_variety("chatgpt")
def chatgpt_spoken_and_cited() -> SampleFile:
    talk = _make_chatgpt_conversation(TALK)
    for line in TALK:
        message = talk["mapping"][f"u{line.number}"]["message"]
        spoken = {"content_type": "audio_transcription", "text": line.text, "direction": "in"}
        asset = {"content_type": "real_time_user_audio_video_asset_pointer"}
        message["content"] = {"content_type": "multimodal_text", "parts": [asset, spoken]}
        if not line.is_mine:
            cited = f"{line.text}\ue200cite\ue202turn0search1\ue201"
            message["content"] = {"content_type": "text", "parts": [cited]}
    return SampleFile(data=as_json([talk]), sources=_list_chatgpt_sources())


# Gemini ------------------------------------------------------------------------------------------------------------


def _pairs() -> list[tuple[ExpectedMessage, ExpectedMessage]]:
    return list(zip(TALK[::2], TALK[1::2], strict=True))


def _list_messages_with_prompt_times() -> list[ExpectedMessage]:
    """Return the messages with one time for a prompt and its answer, as Takeout writes them."""
    return [
        ExpectedMessage(number=line.number, is_mine=line.is_mine, text=line.text, at=asked.at)
        for asked, said in _pairs()
        for line in (asked, said)
    ]


@register_variety("gemini")
def gemini_activity() -> SampleFile:
    records = [
        {"header": "Gemini Apps", "title": f"Prompted {asked.text}", "products": ["Gemini Apps"],
         "time": asked.at.isoformat().replace("+00:00", "Z"),
         "safeHtmlItem": [{"html": f"<p>{page_text(said.text)}</p>"}]}
        for asked, said in reversed(_pairs())
    ]  # fmt: skip
    other = {"header": "Search", "title": "Searched for x", "time": "2024-05-11T00:00:00Z"}
    used = {"header": "Gemini Apps", "title": "Used an Assistant feature", "time": "2024-05-11T00:00:00Z"}
    path = "Takeout/My Activity/Gemini Apps/MyActivity.json"
    return SampleFile(
        data=zip_files({path: as_json([other, *records, used])}), expected_messages=_list_messages_with_prompt_times()
    )


def _make_gemini_page(date: Callable[[datetime], str]) -> SampleFile:
    cell = (
        '<div class="outer-cell mdl"><div class="header-cell"><p>{product}</p></div>'
        '<div class="content-cell">{words}</div>'
        '<div class="content-cell caption">Products:<br>{product}</div></div>'
    )
    cells = [
        cell.format(
            product="Gemini Apps",
            words=f"Prompted\u00a0{page_text(asked.text)}<br>{date(asked.local)}<br><p>{page_text(said.text)}</p>",
        )
        for asked, said in reversed(_pairs())
    ]
    cells.append(cell.format(product="Maps", words="Viewed x"))
    page = f"<html><head><title>x</title></head><body><div>{''.join(cells)}</div></body></html>"
    return SampleFile(data=page.encode(), expected_messages=_list_messages_with_prompt_times())


@register_variety("gemini")
def gemini_page() -> SampleFile:
    return _make_gemini_page(lambda at: f"{at:%b} {at.day}, {at.year}, {at.hour % 12 or 12}:{at:%M:%S\u202f%p} CEST")


@register_variety("gemini")
def gemini_page_in_french() -> SampleFile:
    return _make_gemini_page(lambda at: f"{at.day} mai {at.year}, {at:%H:%M:%S} CEST")


@register_variety("gemini")
def gemini_page_in_polish() -> SampleFile:
    return _make_gemini_page(lambda at: f"{at.day} maj {at.year}, {at:%H:%M:%S} GMT+02:00")


@register_variety("gemini")
def gemini_page_in_korean() -> SampleFile:
    def date(at: datetime) -> str:
        return (
            f"{at.year}. {at.month}. {at.day}. {'오전' if at.hour < 12 else '오후'} {at.hour % 12 or 12}:{at:%M:%S} KST"
        )

    return _make_gemini_page(date)


@register_variety("gemini")
def gemini_studio() -> SampleFile:
    chunks: list[Any] = [{"role": "user" if line.is_mine else "model", "text": line.text} for line in TALK]
    chunks.insert(1, {"role": "model", "text": "thinking", "isThought": True})
    chunks.insert(1, {"role": "model", "executableCode": {"code": "1"}})
    prompt = {"runSettings": {}, "systemInstruction": {}, "chunkedPrompt": {"chunks": chunks, "pendingInputs": []}}
    return SampleFile(data=as_json(prompt), name="The key", has_date=False)


# Of any program ----------------------------------------------------------------------------------------------------


def _role(one: ExpectedMessage) -> str:
    return "user" if one.is_mine else "assistant"


@register_variety("generic")
def generic_list() -> SampleFile:
    system = {"role": "system", "content": "Be brief."}
    said = [{"role": _role(line), "content": [{"type": "text", "text": line.text}]} for line in TALK]
    return SampleFile(data=as_json([system, *said]), has_date=False)


@register_variety("generic")
def generic_lines() -> SampleFile:
    lines = [{"messages": [{"role": _role(line), "content": line.text} for line in pair]} for pair in _pairs()]
    return SampleFile(data=b"\n".join(map(as_json, lines)), has_date=False)


@register_variety("generic")
def generic_talks_that_begin_alike() -> SampleFile:
    taken = [TALK[0], TALK[1], TALK[0], TALK[3]]
    pairs = (taken[:2], taken[2:])
    talks = [{"messages": [{"role": _role(line), "content": line.text} for line in pair]} for pair in pairs]
    return SampleFile(data=as_json(talks), has_date=False, expected_messages=taken)


@register_variety("generic")
def generic_sharegpt() -> SampleFile:
    said = [{"from": "human" if line.is_mine else "gpt", "value": line.text} for line in TALK]
    return SampleFile(
        data=as_json([{"id": "x", "conversations": [{"from": "system", "value": "x"}, *said]}]), has_date=False
    )


@register_variety("generic")
def generic_sillytavern() -> SampleFile:
    """Return a SillyTavern chat with the date formats of several versions, and with swipes that were not chosen."""
    dates: list[Callable[[ExpectedMessage], Any]] = [
        lambda line: line.at.isoformat(),
        lambda line: int(line.at.timestamp() * 1000),
        lambda line: f"{line.local:%B %d, %Y %I:%M%p}".replace("AM", "am").replace("PM", "pm"),
        lambda line: f"{line.local:%Y-%m-%d@%Hh%Mm%Ss}",
    ]
    lines: list[Any] = [{"user_name": "Anna", "character_name": "Cook", "chat_metadata": {}}]
    lines.append({"name": "Cook", "is_user": False, "is_system": True, "mes": "Hidden", "send_date": ""})
    for line in TALK:
        message = {"name": "x", "is_user": line.is_mine, "is_system": False, "mes": line.text, "swipes": ["Not chosen"]}
        lines.append(message | {"send_date": dates[line.number % len(dates)](line)})
    return SampleFile(data=b"\n".join(map(as_json, lines)), name="Cook - 2024.jsonl", assistant_name="x")


@register_variety("generic")
def generic_openwebui() -> SampleFile:
    aside = '<details type="reasoning" done="true">\n<summary>x</summary>\nhm\n</details>\n'
    nodes = {
        str(line.number): {
            "id": str(line.number),
            "parentId": str(line.number - 1) if line.number > 1 else None,
            "role": _role(line),
            "content": line.text if line.is_mine else aside + line.text,
            "timestamp": int(line.at.timestamp()),
        }
        for line in TALK
    }
    nodes["left"] = nodes["2"] | {"id": "left", "content": "An answer that was thrown away"}
    chat = {"history": {"currentId": str(len(TALK)), "messages": nodes}, "models": []}
    return SampleFile(data=as_json([{"id": "x", "title": "x", "chat": chat, "created_at": 1_715_000_000}]))


@register_variety("generic")
def generic_librechat() -> SampleFile:
    said = [
        {"messageId": str(line.number), "isCreatedByUser": line.is_mine, "sender": "x", "text": line.text,
         "createdAt": line.at.isoformat().replace("+00:00", "Z")}
        for line in TALK
    ]  # fmt: skip
    return SampleFile(data=as_json({"conversationId": "x", "title": "x", "messages": said}))


@register_variety("generic")
def generic_markdown() -> SampleFile:
    said = [f"**{'You' if line.is_mine else 'ChatGPT'}:**\n\n{line.text}\n\n---\n" for line in TALK]
    return SampleFile(data=("# A talk\n\n" + "\n".join(said)).encode(), has_date=False)
