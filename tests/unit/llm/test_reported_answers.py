"""Tests of unusual thoughts, written calls, web pages and refusals, from public reports.

The cases come from Ollama's parser tests (Apertus, Glimmer, Laguna, MiniCPM), from parsers of HuatuoGPT-o1 and Bevel,
and from reports to new-api, hermes-agent, oh-my-pi, Rapid-MLX, vLLM and LiteLLM.
"""

import json
from pathlib import Path

import pytest

from llm.openai_api import OpenAIChat
from llm.partial_answer import PartialAnswer
from llm.tool_calls import ToolOffer
from llm.written.thoughts import remove_thoughts
from records.errors import BrokenOff
from records.model_calls import Completion, Tool
from settings import Secret
from tests.peers.raw_server import (
    Json,
    RawAnswer,
    get_request_text,
    make_answer,
    make_chunk,
    make_refusal,
    make_stream,
    run_raw_server,
)
from tests.unit.chat.test_odd_endpoints import APPLES, open_talk_with_server
from tests.unit.llm.test_openai_api import make_prompt

WORDS = {"type": "object", "properties": {"text": {"type": "string"}, "in_minutes": {"type": "integer"}}}
REMIND = Tool(name="remind", description="Sets a reminder.", parameters=WORDS)
SEARCH = Tool(name="search_memory", description="", parameters={"properties": {"query": {"type": "string"}}})
FERN = {"text": "fern", "in_minutes": 5}
GIVEN = json.dumps(FERN)
CALL = json.dumps({"name": "remind", "arguments": FERN})


async def skip_pause(_seconds: float) -> None:
    return


async def complete(raw: RawAnswer, question: str = "Hello?") -> tuple[Completion, list[str], int]:
    """Send a question to a server with a fixed answer. Return completion, drafts and number of requests."""
    drafts: list[str] = []

    async def show(text: str) -> None:
        drafts.append(text)

    async with (
        run_raw_server(lambda _: raw) as (server, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=60, sleep=skip_pause) as model,
    ):
        made = await model.for_person(1).with_tools([REMIND, SEARCH]).complete(make_prompt(question), on_text=show)
        return made, drafts, len(server.requests)


def stream_in_pieces(text: str) -> RawAnswer:
    return make_stream(
        *(make_chunk(content=text[start : start + 5]) for start in range(0, len(text), 5)), make_chunk("stop")
    )


HEADED = [
    "## Thinking\n\nSECRET\n\n## Final Response\n\nVisible answer",
    "Thought: SECRET\nFinal Answer: Visible answer",
    "::thinking::SECRET::/thinking::Visible answer",
    "Thinking Process:\n\n1.  **Analyze User Request:** SECRET\n</think>\n\nVisible answer",
    "Here's a thinking process:\n1.  **Analyze User Request:** SECRET\n</think>\n\nVisible answer",
    "=== THINKING ===\nSECRET\n=== END THINKING ===\nVisible answer",
    "> **Thinking**\n> SECRET\n\nVisible answer",
    "> [!THINKING]\n> SECRET\n> SECRET\n\nVisible answer",
    " to=self<|message|>SECRET<|eom|><|start|>assistant to=user<|message|>Visible answer<|eot|>",
    " to=user<|message|>Visible answer<|eot|>",
    "<|assistant_start|><|inner_prefix|>SECRET<|inner_suffix|>Visible answer<|assistant_end|>",
]


@pytest.mark.parametrize(
    "text",
    [
        "Thought: I now know the final answer.\nFinal Answer:",
        "Here is my thought process: I should say it.\n\nHere is my response:\n",
    ],
)
def test_thoughts_without_answer_are_no_answer(text: str) -> None:
    assert remove_thoughts(text) == ""


@pytest.mark.parametrize("text", HEADED)
async def test_hides_thoughts_without_ordinary_marks(text: str) -> None:
    assert (await complete(stream_in_pieces(text)))[0].text == "Visible answer"
    drafts = [remove_thoughts(text[:end], is_whole=False) for end in range(len(text))]
    assert not any("SECRET" in draft for draft in drafts)


@pytest.mark.parametrize(
    "text",
    [
        "**Reasoning puzzle:** All but 9 of 17 sheep die.\n\n**Answer:** 9",
        "**Reasoning:** Why?\n**Answer:** Because.\n\n**Reasoning:** How?\n**Answer:** So.",
        "### Thinking in systems\nLook at the whole.\n\n### Leverage points\nThey matter.",
        "**Thoughts:** A great draft.\n\n**Suggestions:** Cut the second verse.",
        "**Thinking, Fast and Slow** is a book by Daniel Kahneman.",
        "**Answer:** 42\n\n**Reasoning:** It is known.",
        '"Think different" was a slogan. "/think" is a command.',
        "> Think different.\n\nThat was a slogan.",
        "**思考题：** 一只青蛙每天爬3米，晚上滑2米，几天爬出？\n\n**答案：** 8天。",
        "**Thought:** Everyone will laugh.\n**Emotion:** fear\n**Rational response:** Most people wish me well.",
        "**Gedanken:** Alle lachen.\n**Gefühl:** Angst\n**Rationale Antwort:** Die meisten sind freundlich.",
        "**Think:** What do you see?\n\n**Answer:** ________",
        "**Reasons:**\n- price\n- garden\n\n**Answer:** yes, buy it.",
        "**thought** /θɔːt/ an idea\n\n**answer** /x/ a reply",
        "think: denken\nthought: Gedanke\nanswer: Antwort",
        "reasoning:\n  effort: high\nresponse:\n  format: json",
        "[reasoning]\neffort = 'high'\n\n[response]\nformat = 'json'",
        "Thought: I need it.\nAction: get_weather\nObservation: 20 degrees\nFinal Answer: It is 20 degrees.",
        "## Reasoning\n\nIt has two kinds.\n\n## Response times\n\nThey vary.",
        "*Reason: holiday.*\n\nThe shop opens on Monday.",
        '*Thinking: why me?*\n\n"Hello," she says.',
        "*Daily thought: Be kind.*\n\nHave a good day!",
        "(thinking: he is late)\nANNA: Where is he?",
        "> Thoughts?\n\nYes, I like it.",
        "> **Reasoning** is a slave of the passions.\n\nHume wrote that.",
        "> Thoughts:\n> Be kind.",
        "> Reasons:\n> 1. cost\n> 2. time\n\nI agree with both.",
        "<config>\n  <!-- thinking time in ms -->\n  <delay>5</delay>\n</config>",
        "<!-- think of it as a note -->\nThe browser ignores it.",
        "<!-- reason: caching -->\n<heap>4g</heap>",
        "It costs $5, I think, or $6.",
        "```html\n<!-- Thinking -->\n<p>Hello</p>\n<!-- /Thinking -->\n```\nThat is the page.",
        "The comment <!-- thinking --> is invisible.",
    ],
)
async def test_shows_answer_that_resembles_thoughts(text: str) -> None:
    assert (await complete(stream_in_pieces(text)))[0].text == text


@pytest.mark.parametrize(
    "text",
    [
        "$think$SECRET$/think$Visible answer",
        "$$thinking$$\nSECRET\n$$/thinking$$\nVisible answer",
        "<!-- thinking -->\nSECRET\n<!-- /thinking -->\nVisible answer",
        "<think/>Visible answer",
        "]<]minimax[>[<think>SECRET]<]minimax[>[</think>Visible answer",
        "<details><summary><b>Reasoning</b></summary>\nSECRET\n</details>\nVisible answer",
    ],
)
def test_removes_thoughts_in_comments_and_unusual_markup(text: str) -> None:
    assert remove_thoughts(text) == "Visible answer"
    assert not any("SECRET" in remove_thoughts(text[:end], is_whole=False) for end in range(len(text)))


CALLS = {
    "a thought before it": f"Thought: SECRET\nAction: remind\nAction Input: {GIVEN}",
    "a result that was made up": f"Thought: SECRET\nAction: remind\nAction Input: {GIVEN}\nObservation: x\nAnswer: 1",
    "a fence at the end": f"I set it.\n\n```json\n{CALL}\n```",
    "Apertus": f'<|inner_prefix|>SECRET<|inner_suffix|><|tools_prefix|>[{{"remind": {GIVEN}}}]<|tools_suffix|>',
    "Glimmer": ' to=self<|message|>SECRET<|eom|><|start|>assistant to=remind<|message|><atem:invoke name="remind">\n'
    '<atem:parameter name="text">fern</atem:parameter>\n<atem:parameter name="in_minutes">5</atem:parameter>\n'
    "</atem:invoke><|eot|>",
    "names and values": "<tool_call>\n<tool_name>remind</tool_name>\n<parameters>\n<parameter><name>text</name>"
    "<value>fern</value></parameter>\n<parameter><name>in_minutes</name><value>5</value></parameter>\n</parameters>\n"
    "</tool_call>",
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
async def test_makes_call_and_hides_preceding_thought(text: str) -> None:
    made, drafts, _ = await complete(stream_in_pieces(text))
    assert [(call.name, json.loads(call.arguments)) for call in made.calls] == [("remind", FERN)]
    assert not any("SECRET" in shown for shown in (*drafts, made.text))


def test_makes_both_calls_after_llama_python_tag() -> None:
    second = '{"name": "search_memory", "parameters": {"query": "fern"}}'
    for gap in ("; ", "\n"):
        answer = PartialAnswer(offer=ToolOffer(tools=(REMIND, SEARCH)), text=f"<|python_tag|>{CALL}{gap}{second}")
        assert [call.name for call in answer.parse_text_and_calls().calls] == ["remind", "search_memory"]


async def test_shows_object_with_name_of_tool_but_no_arguments() -> None:
    text = '```json\n{"name": "remind", "version": "1.0.0", "scripts": {"start": "node ."}}\n```'
    made, _, _ = await complete(stream_in_pieces(text))
    assert (made.text, made.calls) == (text, ())


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Remind me of the fern.", f"Sure!\n```json\n{CALL}\n```\nDone, I have set it."),
        ("FERN: bitte gießen", f"Gerne:\n```json\n{CALL}\n```\nIch habe es eingetragen."),
        ("Water the plant", f"Sure!\n```json\n{CALL}\n```\nDone, I have set it."),
        ("Remind me of the fern.", '{"name": "remind", "data": {"message": "fern"}}'),
    ],
)
async def test_makes_written_call_that_user_requested(question: str, text: str) -> None:
    made, _, _ = await complete(stream_in_pieces(text), question)
    assert [call.name for call in made.calls] == ["remind"]


async def test_keeps_brackets_inside_call_argument() -> None:
    style = json.dumps({"name": "remind", "arguments": {"text": "a{b:c}; {d}", "in_minutes": 5}})
    made, _, _ = await complete(stream_in_pieces(style))
    assert json.loads(made.calls[0].arguments)["text"] == "a{b:c}; {d}"


QUERY = json.dumps({"query": "fern"})


async def test_shows_users_function_after_second_request_without_tools() -> None:
    made, _, request_count = await complete(stream_in_pieces("```js\nremind();\n```"), "How do I run my function?")
    assert (made.text, made.calls, request_count) == ("```js\nremind();\n```", (), 2)


@pytest.mark.parametrize(
    "name",
    [
        "searchMemory",
        "search-memory",
        "SEARCH_MEMORY",
        "default_api:SearchMemory",
        "SearchMemoryTool_tool",
        "searchmemory",
        "Search Memory",
        "mcp__searchmemory",
    ],
)
async def test_matches_tool_name_in_other_spelling_in_parsed_call(name: str) -> None:
    call = {"index": 0, "id": "a", "function": {"name": name, "arguments": QUERY}}
    made, _, _ = await complete(make_stream(make_chunk("tool_calls", tool_calls=[call])))
    assert [call.name for call in made.calls] == ["search_memory"]


async def test_keeps_json_that_is_text_of_parsed_call() -> None:
    text = '{"theme": "dark"}'
    function = {"name": "remind", "arguments": json.dumps({"text": text, "type": "note"})}
    made, _, _ = await complete(make_stream(make_chunk("tool_calls", tool_calls=[{"id": "a", "function": function}])))
    assert json.loads(made.calls[0].arguments)["text"] == text


async def test_hides_plan_of_gemini_in_json() -> None:
    made, drafts, _ = await complete(
        stream_in_pieces('{"thought": "SECRET: \\"a\\"", "call": "default_api:none"}\nVisible answer')
    )
    assert made.text == "Visible answer"
    assert not any("SECRET" in shown for shown in drafts)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Answer as JSON with your reasoning.", '{\n  "reasoning": "It is.",\n  "response": "Yes"\n}'),
        ("What was it?", '{"name": "Anna", "thought": "It was good.", "age": 5}'),
        ("What was it?", '{"reasoning": "SECRET", "steps": ["a", "b"], "place": {"x": 1}}'),
        ("What was it?", "{ x | x > 0 } is a set."),
        ("How?", '```\n{"reasoning": "high", "model": "m"}\n```\nPut it into the settings.'),
        ("Where is it?", '{"thinking": "It is a capital.", "answer": "Paris"}\nShall I tell more?'),
        ("What is logic?", "**Reasoning**\n\nIt has two kinds.\n\nBoth matter."),
        ("And thinking?", "`Thinking`\nIt is a gerund.\n\n`Answer`\nA noun."),
        ("Make an object with planning and goal.", '{"planning": "SECRET", "goal": "Run"}'),
        ("What was it?", '{"reason_code": 42, "answer": "no"}'),
        ("What does <think> mean?", "`<think>`\nIt begins the thoughts.\n\n`</think>`\nIt ends them."),
        ("Which tags?", "`<think>`, `</think>`"),
        ("Which tags?", "`<think>`...`</think>`"),
        ("Which tags?", "**`<think>`**: the beginning.\n**`</think>`**: the end."),
        ("Which tags?", "`<think>`-Tags umschließen Gedanken, `</think>` endet sie."),
        ("Which tags?", "`<think>`是开始，`</think>`是结束。"),
        ("Which tags?", "`<think>`.\n\nSee https://example.org/think for more."),
        ("Which tags?", "`<think>` marks the beginning.\n`</think>` marks the end.\nBoth are hidden."),
    ],
)
async def test_shows_json_and_think_tags_requested_by_user(question: str, text: str) -> None:
    made, _, _ = await complete(stream_in_pieces(text), question)
    assert made.text == text


async def test_unfinished_thinking_tag_is_not_shown() -> None:
    """Seen with Gemma 4 on Ollama."""
    made, drafts, _ = await complete(stream_in_pieces("<think广场照明灯的开启时间是 18:15。"))
    assert made.text == "广场照明灯的开启时间是 18:15。"
    assert not any("think" in shown for shown in drafts)


async def test_keeps_one_word_sentence_before_text_call() -> None:
    made, _, _ = await complete(stream_in_pieces(f"Checking.\n**Tool Call:**\n```json\n{CALL}\n```"))
    assert (made.text, len(made.calls)) == ("Checking.", 1)


PAGES = [
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>",
    "\n<html><body><form action='/login'>Sign in. Use policy. API key.</form></body></html>",
    "Ollama is running",
    "404 page not found",
]


@pytest.mark.parametrize("page", PAGES)
async def test_web_page_instead_of_answer_raises_error_naming_base_url(page: str) -> None:
    with pytest.raises(BrokenOff, match="does not answer like a model's server") as caught:
        await complete(RawAnswer(body=page.encode(), content_type="text/html"))
    assert "OPENAI_BASE_URL" in caught.value.remedy


DECLINED = {
    "429": (429, {"error": {"message": "Your request was flagged by our moderation system."}}),
    "503, a gateway": (503, {"error": {"message": "content_filter", "type": "upstream_error"}}),
    "502, OpenRouter": (502, {"error": {"message": "Provider returned error", "metadata": {"raw": "content_filter"}}}),
    "500, new-api": (500, {"error": {"message": "sensitive_words_detected", "code": "sensitive_words_detected"}}),
    "429, Z.ai": (429, {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}}),
    "400, Qwen": (400, {"error": {"message": "<400> InternalError.Algo.DataInspectionFailed: Input text data may"}}),
    "400, DeepSeek": (400, {"error": {"message": "Content Exists Risk", "code": "invalid_request_error"}}),
}


@pytest.mark.parametrize("kind", DECLINED)
async def test_recognizes_content_refusal_under_any_status(tmp_path: Path, kind: str) -> None:
    def answer(request: Json) -> RawAnswer:
        return make_refusal(*DECLINED[kind]) if "zorkblat" in get_request_text(request) else make_answer(APPLES)

    async with open_talk_with_server(tmp_path, answer) as (talk, _):
        await talk.turn_on_memory()
        assert "declined" in (await talk.say("please explain zorkblat to me")).text
        assert (await talk.say("How many?")).text == APPLES


POLITE: dict[str, tuple[int, Json | str]] = {
    "a limit": (429, {"error": {"message": "Rate limit reached. Please see our usage policies.", "type": "requests"}}),
    "fair use": (429, {"error": {"message": "You have exceeded our fair use policy. Please slow down."}}),
    "Cloudflare": (502, "<html><h1>Bad gateway</h1><a href='/acceptable-use-policy'>Acceptable Use Policy</a></html>"),
    "the filter is busy": (503, {"error": {"message": "The moderation service is overloaded."}}),
}


@pytest.mark.parametrize("kind", POLITE)
async def test_reports_busy_for_rate_limit_that_mentions_policy(tmp_path: Path, kind: str) -> None:
    async with open_talk_with_server(tmp_path, lambda _: make_refusal(*POLITE[kind])) as (talk, _):
        assert "busy" in (await talk.say("How many?")).text
