"""Tests of control tokens, citation marks and made-up tool results in answers, and of code that resembles calls.

The forms come from reports to openclaw and hermes-agent, and from the chat templates of Cohere, Functionary, Llama,
Qwen, Mistral and Phi.
"""

import json

import pytest

from llm.openai_api import OpenAIChat
from settings import Secret
from tests.peers.raw_server import Json, RawAnswer, make_answer, make_chunk, make_stream, run_raw_server
from tests.unit.llm.test_openai_api import make_prompt
from tests.unit.llm.test_reported_answers import CALL, GIVEN, REMIND, complete, skip_pause, stream_in_pieces

MARKED = [
    "Visible<unk> answer",
    "Visible answer<unk><unk>",
    "Visible<|reserved_special_token_12|> answer",
    "<|gizmo:start|>Visible answer<|gizmo:end|>",
    "<|im_start|>assistant<|im_sep|>Visible answer<|im_end|>",
    "Visible <co: 0>answer</co: 0>",
    "<co>Visible</co: 0:[1,2],1:[3,4]> answer",
    "[cite_start]Visible answer[cite: 1, 2]",
    "Visible answer【4:0†source】",
    "Visible answer [cite: 1]",
    "<|from|>assistant\n<|recipient|>all\n<|content|>Visible answer<|stop|>",
    "<tool_response>\nSECRET\n</tool_response>\nVisible answer",
    '<tool_result> {"output": "SECRET"} </tool_result>\nVisible answer',
    "<function_results>\n<result>SECRET</result>\n</function_results>\n\nVisible answer",
    "<|tool_response|>SECRET<|/tool_response|>Visible answer",
    "[TOOL_RESULTS]SECRET[/TOOL_RESULTS]Visible answer",
    "Visible answer\n<tool_response>SECRET",
    "Visible answer\n<|observation|>\nSECRET\n<|assistant|>\nSECRET",  # GLM, whose server does not stop it there
    "<observation>\nSECRET\n</observation>\nVisible answer",
    "<think>SECRET plan<//think>Visible answer",  # DeepSeek V4 on SGLang
    "SECRET plan<//think>Visible answer",
    "Visible answer<think>SECRET",
    "</think>SECRET plan</think>Visible answer",  # oMLX
]


@pytest.mark.parametrize("text", MARKED)
async def test_hides_template_tokens_citations_and_invented_results(text: str) -> None:
    made, drafts, request_count = await complete(stream_in_pieces(text))
    assert (made.text, request_count) == ("Visible answer", 1)
    assert not any("SECRET" in draft for draft in drafts)


async def test_keeps_text_on_both_sides_of_template_token() -> None:
    text = "It is done. <tool_response>SECRET</tool_response> Good.<|im_end|>\n\nAnything else?</s> Ask."
    made, _, _ = await complete(stream_in_pieces(text))
    assert made.text == "It is done. Good.\n\nAnything else? Ask."


@pytest.mark.parametrize(
    "text",
    [
        "- <|im_start|>: begins a turn\n- <|im_end|>: ends it",
        "The model gets <tool_response> with the result, closed by </tool_response>.",
        "```xml\n<tool_response>ok</tool_response>\n```\nThat is the form.",
        "<s>old</s> price: 5",
        "In F#: a <| b |> c is fine, and in Haskell digit <|> eof.",
        "In chemistry <co> and CO2 differ.",
        "<company><co>Acme</co></company>",
        "<unk>: an unknown word\n<pad>: padding\n<eos>: the end",
        "- <unk>\n- <pad>\n- `<s>`",
        "Llama 3 uses <|begin_of_text|>, <|start_header_id|>user<|end_header_id|> and <|eot_id|>.",
        "Llama 2: <s>[INST] question [/INST] answer </s>",
        "PARAMETER stop <|im_end|>\nPARAMETER stop </s>",
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}",
        "The <observation> element holds one value.",
        "<observations><observation>5</observation></observations>",
        '<observation id="1">\n  <value>5</value>\n</observation>',
        "<observation>\n  <type>discovery</type>\n  <title>Two roots</title>\n</observation>",  # claude-mem
        "<observations>\n<observation>Robin, 3</observation>\n<observation>Wren, 1</observation>\n</observations>",
        "<observation>The leaves droop.</observation>\n<interpretation>Too dry.</interpretation>",
        "[User(id=1, name='Anna'), User(id=2, name='Ben')]",  # dataclasses as Python prints them
        '<Function name="f">\n  <Call target="Sum" x="1"/>\n</Function>',
        "The mean speed <|v|>, so v=<|v|>\nis positive.",
        "async function run(): Promise<ToolResult> {\n  return 1\n}",
        "Vec<tool_result> holds them. Read on.",
        "[tool_results](https://example.com) is the page. [tool_result]: none.",
        "results[function_output] = 5\nprint(results)",
        "while (true) {// think\n}\nThat waits.",
        "ReAct:\n\nThought: I need it\nAction: weather\nAction Input: Berlin\nObservation: 20\nFinal Answer: 20",
        "Reasoning:\nA is B.\n\n**Final answer: A is C**",
        '```json\n{"name": "get_weather", "arguments": {"city": "Berlin"}}\n```',
        "reasoning:\n  effort: high\nresponse:\n  format: json",
        '```xml\n<tool_call> {"name": "find"} </tool_call>\n```\n\nVisible text',
        "Mistral writes:\n```\n[TOOL_CALLS] [{}]\n```\nThat is all.",
        'Llama writes `<function=get_weather>{"city": "Berlin"}</function>` for that.',
    ],
)
async def test_keeps_tokens_and_calls_that_are_talked_about(text: str) -> None:
    made, _, request_count = await complete(stream_in_pieces(text))
    assert (made.text, request_count) == (text, 1)


async def test_keeps_token_at_beginning_of_line_if_user_asked_about_it() -> None:
    text = "<|im_end|> ends a turn.\n<|im_start|> begins one."
    made, _, _ = await complete(stream_in_pieces(text), "What are <|im_end|> and <|im_start|>?")
    assert made.text == text


async def test_makes_call_in_format_of_functionary() -> None:
    text = '<|from|> assistant\n<|recipient|> search_memory\n<|content|> {"query": "fern"}<|stop|>'
    made, drafts, _ = await complete(stream_in_pieces(text))
    assert ([call.name for call in made.calls], made.text, drafts) == (["search_memory"], "", [])


@pytest.mark.parametrize(
    "text",
    [
        (
            '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="exec_command">\n<｜DSML｜parameter name="cmd" string="true">ls'
            "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>"
        ),
        'Let me look that up.\n\n{"name": "web_search", "arguments": {"query": "weather in Berlin"}}',
        '<|python_tag|>brave_search.call(query="weather in Berlin")',
        "```tool_code\nprint(google_search.search(queries=['weather']))\n```",
        "Action: weather\nAction Input: Berlin",
        "Action: search_memory\nAction Input: None",
        "[searchMemory(query='fern')]",
        '{"name": "searchMemory", "arguments": {"query": "fern"}}',
    ],
)
async def test_calls_of_unknown_tools_are_asked_again_without_tools(text: str) -> None:
    def answer(request: Json) -> RawAnswer:
        return stream_in_pieces(text) if request.get("tools") else make_answer("Visible answer")

    async with (
        run_raw_server(answer) as (server, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=60, sleep=skip_pause) as model,
    ):
        made = await model.for_person(1).with_tools([REMIND]).complete(make_prompt("What is the weather?"))
        assert (made.text, made.calls, len(server.requests)) == ("Visible answer", (), 2)


@pytest.mark.parametrize(
    "text", ['{"name": "login", "arguments": {"user": "anna"}}', "<tools><tool>saw</tool></tools>"]
)
async def test_answer_that_stays_the_same_without_tools_is_no_call(text: str) -> None:
    made, _, _ = await complete(stream_in_pieces(text))
    assert (made.text, made.calls) == (text, ())


@pytest.mark.parametrize(
    "raw",
    [
        stream_in_pieces(f"调用工具：remind\n参数：{GIVEN}"),
        stream_in_pieces(
            "<name>remind\n</parameter>\n<parameter=text>\nfern\n</parameter>\n<parameter=in_minutes>\n5\n</parameter>\n"
            "</function>"
        ),
        stream_in_pieces(
            '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="remind">\n<｜DSML｜parameter name="text" string="true">fern'
            '<//DSML｜parameter>\n<｜DSML｜parameter name="in_minutes">5<//DSML｜parameter>\n<//DSML｜invoke>'
        ),
        make_stream({"choices": [{"delta": {"toolCalls": [{"function": {"name": "remind", "arguments": GIVEN}}]}}]}),
        make_stream(make_chunk(content="Sure."), make_chunk(tool_calls=[{"name": "remind", "arguments": GIVEN}])),
    ],
    ids=["Chinese labels", "half of a tag (q27)", "two slashes (SGLang)", "camel case", "flat"],
)
async def test_makes_call_in_unusual_format(raw: RawAnswer) -> None:
    made, _, _ = await complete(raw)
    assert [(call.name, json.loads(call.arguments)) for call in made.calls] == [("remind", json.loads(GIVEN))]


@pytest.mark.parametrize("code", ['python\nforget("x")', "php\nCache::forget('key');", "js\ncache.forget({key: 'a'})"])
async def test_shows_users_function_that_is_no_offered_tool(code: str) -> None:
    text = f"Call it so:\n```{code}\n```"
    async with (
        run_raw_server(lambda _: stream_in_pieces(text)) as (server, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=60, sleep=skip_pause) as model,
    ):
        equipped = model.for_person(1).with_tools([REMIND], known_tool_names=["forget"])
        made = await equipped.complete(make_prompt("Hello?"))
        assert (made.text, len(server.requests)) == (text, 1)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ('{"event_name": "page_view", "parameters": {"page_title": "Home"}}', "The JSON of a page view?"),
        ('<calls><call from="Anna" to="Ben"/></calls>', "Schreib mir XML: Anna ruft Ben an."),
    ],
)
async def test_data_that_was_asked_for_is_no_call(text: str, question: str) -> None:
    made, _, request_count = await complete(stream_in_pieces(text), question)
    assert (made.text, request_count) == (text, 1)


async def test_keeps_tools_if_model_calls_unknown_ones_repeatedly() -> None:
    text = '{"name": "web_search", "arguments": {"query": "weather"}}'

    def answer(request: Json) -> RawAnswer:
        return stream_in_pieces(text) if request.get("tools") else make_answer("Visible answer")

    async with (
        run_raw_server(answer) as (_, url),
        OpenAIChat(model="m", api_key=Secret("k"), base_url=url, timeout=60, sleep=skip_pause) as model,
    ):
        for _ in range(3):
            await model.for_person(1).with_tools([REMIND]).complete(make_prompt("What is the weather?"))
        assert model.supports_tools


async def test_shows_sentence_about_tools_before_call() -> None:
    made, _, _ = await complete(stream_in_pieces(f"我来用工具设置提醒。\n{CALL}"))
    assert (made.text, len(made.calls)) == ("我来用工具设置提醒。", 1)
