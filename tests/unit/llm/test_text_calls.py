"""Tool calls that a model wrote as text are parsed in every known form and never shown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.tools import SEARCH_MEMORY
from llm.partial_answer import PartialAnswer
from llm.tool_calls import ToolOffer
from llm.written.call_arguments import Names
from llm.written.calls import HELD, find_calls_in_text
from llm.written.thoughts import remove_thoughts

NAMES: Names = {"search_memory": ("query",), "remember": ("text",), "forget": ("fact_id",)}
REMINDERS: Names = {"remind": ("text", "in_minutes")}
CALL = '{"name": "search_memory", "arguments": {"query": "walnuts"}}'
WRITTEN = {
    "bare": CALL,
    "fenced": f"```json\n{CALL}\n```",
    "fenced without a language": f"```\n{CALL}\n```",
    "a fence of another name": f"```tool_call\n{CALL}\n```",
    "an open fence": f"```json\n{CALL}",
    "doubled braces outside": "{" + CALL + "}",
    "doubled braces": '{{"name": "search_memory", "arguments": {{"query": "walnuts"}}}}',
    "tagged": f"<tool_call>\n{CALL}\n</tool_call>",
    "an open tag": f"<tool_call>{CALL}",
    "a tag in a fence": f"```xml\n<tool_call>{CALL}</tool_call>\n```",
    "a list": f"[{CALL}]",
    "a list of two": f"[{CALL}, {CALL}]",
    "line by line": f"{CALL}\n{CALL}",
    "tag by tag": f"<tool_call>{CALL}</tool_call>\n<tool_call>{CALL}</tool_call>",
    "with words after it": f"{CALL}\nThis searches for walnuts.",
    "as on the wire": '{"function": {"name": "search_memory", "arguments": "{\\"query\\": \\"walnuts\\"}"}}',
    "a list within": f'{{"tool_calls": [{CALL}]}}',
    "Llama": '{"type": "function", "name": "search_memory", "parameters": {"query": "walnuts"}}',
    "Llama's tag": '<function=search_memory>{"query": "walnuts"}</function>',
    "Qwen's coder": "<tool_call>\n<function=search_memory>\n<parameter=query>\nwalnuts\n</parameter>\n</function>\n"
    "</tool_call>",
    "Mistral": f"[TOOL_CALLS] [{CALL}]",
    "arguments first in a tag": '<tool_call>{"arguments": {"query": "walnuts"}, "name": "search_memory"}</tool_call>',
    "LM Studio": '[TOOL_REQUEST]{"arguments": {"query": "walnuts"}, "name": "search_memory"}[END_TOOL_REQUEST]',
    "a type behind words": 'Tool call: {"type": "function", "function": ' + CALL + "}",
    "flat": '{"tool": "search_memory", "query": "walnuts"}',
    "flat, a parameter by its first letter": '{"tool": "search_memory", "q": "walnuts"}',
    "arguments first": '{"arguments": {"query": "walnuts"}, "name": "search_memory"}',
    "a brace too few": CALL[:-1],
    "two braces too few": CALL[:-2],
    "no quotation marks": '{"name": "search_memory", "arguments": {"query": walnuts}}',
    "Python": "{'name': 'search_memory', 'arguments': {'query': 'walnuts'}}",
}
BROKEN = {
    "an unknown tool": "<function=web_search>\n<parameter=query>\nwalnuts\n</parameter>\n</function>",
    "words in a tag": "<tool_call>search for walnuts</tool_call>",
    "nothing in a tag": "<tool_call>",
    "an element alone": "<function_calls>\n",
    "an element that breaks off in the name": '<tools>\n{"name": "search_mem',
    "an element that breaks off in a key": '<tools>{"na',
    "a mark alone": "<｜DSML｜tool_calls",
    "another": "<‖DSML‖tool_calls>\n",
    "half of it": '{"name": "search_memory", "arguments": "',
    "an empty text": '{"name": "search_memory", "arguments": ""}',
    "no argument": "search_memory()",
    "no argument, in a list": "[search_memory()]",
    "no argument, in code": "```python\nprint(search_memory())\n```",
    "no argument, an element": "<search_memory></search_memory>",
    "an argument without a name (CWM)": "<tool: function>\nsearch_memory fern\n</tool>\n",
}
NO_CALLS = [
    '{"name": "Anna", "age": 3}',
    "[1, 2, 3]",
    '```json\n{"id": 1, "name": "x"}\n```',
    'Here:\n```python\ndef f():\n    return {"name": 1}\n```\nDone.',
    '{"facts": []}',
    '{"action": "run", "input": 3}',
    '{"arguments": {"query": "x"}}',
    '{"Full name": "Anna"}',
    '{"title": "remember", "text": "A song"}',
    '{"person": {"name": "remember"}, "age": 3}',
    '[{"command": "forget", "description": "Erases what you choose."}]',
    "```c\nvoid f(int x)\n{\n    // forget the old value\n    x = 1;\n}\n```",
    "remember that",
    "Remember",
    "<b>bold</b> a < b and {x}",
    "[a link](http://example.org)",
    f"Such a call looks so: {CALL} and then the tool answers.",
    "",
]


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_parses_and_hides_call_in_every_written_form(text: str) -> None:
    found = find_calls_in_text(text, NAMES, is_whole=True)
    assert {call.name for call in found.calls} == {"search_memory"}
    assert all("walnuts" in call.arguments for call in found.calls)
    assert not any(find_calls_in_text(text[:end], NAMES, is_whole=False).shown for end in range(len(text)))
    assert found.shown in ("", "This searches for walnuts.")


@pytest.mark.parametrize("way", ["bare", "fenced", "tagged", "doubled braces", "Llama's tag", "two braces too few"])
def test_shows_text_before_call_but_not_call(way: str) -> None:
    words, text = "Let me look.\n", WRITTEN[way]
    found = find_calls_in_text(words + text, NAMES, is_whole=True)
    assert [call.name for call in found.calls] == ["search_memory"]
    assert found.shown == words
    assert {find_calls_in_text(words + text[:end], NAMES, is_whole=False).shown for end in range(len(text))} == {words}


def test_python_call_list_may_follow_text_on_same_line() -> None:
    found = find_calls_in_text('Let me look. [search_memory(query="walnuts")]', NAMES, is_whole=True)
    assert (found.shown, [call.arguments for call in found.calls]) == ("Let me look. ", ['{"query": "walnuts"}'])


def test_shows_json_before_call() -> None:
    for words in ('{"a": 1}\n', 'Here it is:\n```json\n{"a": [1, 2]}\n```\nI look for the rest.\n'):
        found = find_calls_in_text(f"{words}<tool_call>{CALL}</tool_call>", NAMES, is_whole=True)
        assert (found.shown, len(found.calls)) == (words, 1)


def test_parses_flat_call_of_tool_without_known_parameters() -> None:
    found = find_calls_in_text('{"tool": "search_memory", "query": "walnuts"}', {"search_memory": ()}, is_whole=True)
    assert (found.shown, [call.name for call in found.calls]) == ("", ["search_memory"])


def test_parses_two_calls_with_words_between_them() -> None:
    reading = find_calls_in_text(
        f"<tool_call>{CALL}</tool_call>\nThen:\n<tool_call>{CALL}</tool_call>", NAMES, is_whole=True
    )
    assert len(reading.calls) == 2


def test_makes_call_behind_final_channel() -> None:
    final = "<|channel|>final<|message|>I set it.<|end|>"
    call = f"<|start|>assistant<|channel|>commentary to=functions.remind <|constrain|>json<|message|>{GIVEN}<|call|>"
    reading = find_calls_in_text(remove_thoughts(final + call), REMINDERS, is_whole=True)
    assert (reading.shown, len(reading.calls)) == ("I set it.", 1)


def test_parses_two_calls_in_one_tag() -> None:
    text = f'<tool_call>\n{CALL}\n{{"name": "forget", "arguments": {{"fact_id": 3}}}}\n</tool_call>'
    assert [call.name for call in find_calls_in_text(text, NAMES, is_whole=True).calls] == ["search_memory", "forget"]


def test_parses_two_calls_in_list_or_on_separate_lines() -> None:
    assert [
        len(find_calls_in_text(WRITTEN[way], NAMES, is_whole=True).calls) for way in ("a list of two", "line by line")
    ] == [2, 2]


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_unreadable_call_is_reported_broken_and_hidden(text: str) -> None:
    found = find_calls_in_text(text, NAMES, is_whole=True)
    assert (found.is_broken, found.shown, found.calls) == (True, "", ())
    assert not any(find_calls_in_text(text[:end], NAMES, is_whole=False).shown for end in range(len(text)))


@pytest.mark.parametrize("text", NO_CALLS)
def test_shows_text_without_call_completely_and_never_retracts_text(text: str) -> None:
    found = find_calls_in_text(text, NAMES, is_whole=True)
    assert (found.shown, found.calls, found.is_broken) == (text, (), False)
    lengths = [len(find_calls_in_text(text[:end], NAMES, is_whole=False).shown) for end in range(len(text))]
    assert lengths == sorted(lengths)


def test_streamed_prose_lags_at_most_three_words() -> None:
    text = "Walnuts keep for a year. They want to be dry (and cool).\n\nTo store them:\n- Shell them first\n- Use a jar"
    for end in range(len(text)):
        shown = find_calls_in_text(text[:end], NAMES, is_whole=False).shown
        assert len(text[:end].removeprefix(shown).split()) <= 3, text[:end]


def test_shows_long_unrelated_json_while_streaming() -> None:
    for text in ('{"name": "Anna", "ag' + "e" * HELD, '```json\n{"title": ' + "1" * HELD):
        assert find_calls_in_text(text, NAMES, is_whole=False).shown == text


def test_shows_call_as_text_when_no_tool_is_known() -> None:
    assert find_calls_in_text(CALL, {}, is_whole=True).shown == CALL


@given(st.text(alphabet="{}[]\"':,<>`ntool_call search_memory()\n", max_size=120))
def test_arbitrary_text_yields_calls_or_shown_prefix(text: str) -> None:
    for is_whole in (True, False):
        found = find_calls_in_text(text, NAMES, is_whole=is_whole)
        assert found.calls or text.startswith(found.shown)
        assert not (found.calls and found.is_broken)


def test_many_braces_are_parsed_quickly() -> None:
    assert find_calls_in_text("{" * 20_000, NAMES, is_whole=True).shown
    assert find_calls_in_text("{x} " * 20_000, NAMES, is_whole=False).shown
    assert find_calls_in_text("<tool_call>" + " " * 200_000, NAMES, is_whole=True).is_broken
    assert find_calls_in_text("```" + " " * 20_000 + "x", NAMES, is_whole=True).shown
    assert find_calls_in_text("remember()\n" + "    ->\n" * 40 + "So it goes.", NAMES, is_whole=True).shown


@pytest.mark.parametrize("text", ["`forget()`", "```ruby\nforget()\n```", "cookies.forget()", "<forget/>"])
def test_shows_users_function_when_tool_of_same_name_is_not_offered(text: str) -> None:
    """Ruby on Rails has such methods. With the tool offered, the answer is requested once more without it."""
    assert find_calls_in_text(text, NAMES, is_whole=True).is_broken
    assert find_calls_in_text(text, dict.fromkeys(NAMES, ()), is_whole=True).shown == text


def test_hides_call_of_search_tool_that_is_not_offered() -> None:
    assert find_calls_in_text("search_memory()", dict.fromkeys(NAMES, ()), is_whole=True).is_broken


@given(st.lists(st.text(alphabet="ab []{}<>`~\n\"':TOL_CS", max_size=6), max_size=20))
def test_incremental_parsing_matches_parsing_of_whole_prefix(pieces: list[str]) -> None:
    text, shown = "x", ""
    for piece in pieces:
        text += piece
        whole = find_calls_in_text(text, NAMES, is_whole=False).shown
        assert find_calls_in_text(text, NAMES, is_whole=False, shown_length=len(shown)).shown == whole
        assert whole.startswith(shown)
        shown = whole


def test_long_malformed_call_is_not_repaired() -> None:
    """Repairing a call takes time up to the square of its length."""
    broken = '{"name": "search_memory", "arguments": {"query": ' + ":“" * 10_000
    assert find_calls_in_text(broken, NAMES, is_whole=True).is_broken


def test_too_deeply_nested_call_is_broken() -> None:
    assert find_calls_in_text('{"name": "search_memory", "arguments": ' + "{[" * 480, NAMES, is_whole=True).is_broken


REMIND = {"text": "fern", "in_minutes": 5}
GIVEN = json.dumps(REMIND)


@pytest.mark.parametrize(
    "text",
    [
        (
            '<｜DSML｜function_calls>\n<｜DSML｜invoke name="remind">\n'
            '<｜DSML｜parameter name="text" string="true">fern'
            '</｜DSML｜parameter>\n<｜DSML｜parameter name="in_minutes">5</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
            "</｜DSML｜function_calls>"
        ),
        (
            f"<|tool_calls_section_begin|><|tool_call_begin|>functions.remind:0<|tool_call_argument_begin|>{GIVEN}"
            "<|tool_call_end|><|tool_calls_section_end|>"
        ),
        (
            '<minimax:tool_call>\n<invoke name="remind">\n<parameter name="text">fern</parameter>\n'
            '<parameter name="in_minutes">5</parameter>\n</invoke>\n</minimax:tool_call>'
        ),
        f'<|python_tag|>{{"name":"remind","parameters":{GIVEN}}}',
        (
            f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>remind\n```json\n{GIVEN}\n```"
            "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        ),
        '```tool_code\nprint(remind(text="fern", in_minutes=5))\n```',
        (
            "<tool_call>remind\n<arg_key>text</arg_key>\n<arg_value>fern</arg_value>\n<arg_key>in_minutes</arg_key>\n"
            "<arg_value>5</arg_value>\n</tool_call>"
        ),
        '[remind(text="fern", in_minutes=5)]',
        f"<remind>{GIVEN}</remind>",
        f'<tools>{{"name": "remind", "arguments": {GIVEN}}}</tools>',
        '<|tool_call|>call:remind{text:"fern",in_minutes:5}<|tool_call|>',
        f"Action: remind\nAction Input: {GIVEN}",
        f"<|start|>assistant<|channel|>commentary to=functions.remind <|constrain|>json<|message|>{GIVEN}<|call|>",
    ],
)
def test_parses_and_hides_calls_in_chat_template_formats(text: str) -> None:
    reading = find_calls_in_text(text, {**REMINDERS, **NAMES}, is_whole=True)
    assert [(call.name, json.loads(call.arguments)) for call in reading.calls] == [("remind", REMIND)]
    assert reading.shown.strip() == ""


@pytest.mark.parametrize(
    "text",
    [
        "You can use remind (a tool) to set it.",
        "remind: {curly}",
        "Call `remind(text)` in Python.",
        "<toolbox> is a tag.",
        "The mark of DeepSeek is <｜tool▁calls▁begin｜>",
        "Write `<|tool_call|>` in front of it.",
        "<toolbar><button>remind me</button></toolbar>",
        '<MyTool onClick={remind}>a</MyTool>\n<Tooltip title="b">\n  <Button>remind me</Button>\n</Tooltip>',
        "Qwen writes `<tool_call>` around a call, and Mistral [TOOL_CALLS] in front of it.",
        "ChatML has <|im_start|> and <|im_end|>, of which I can remind you.",
        '- `remind(text="fern")`: sets a reminder',
        "```js\nfunction remind() {\n  return 1;\n}\n```\nThat is a function.",
        "```js\nfunction remind(text = 'fern') {\n}\n```\nThat is a function.",
        "```sh\nremind() {\n  echo $1\n}\n```\nThat is a function.",
        "```python\nremind = {'text': 'fern'}\n```\nThat is a dictionary.",
        "```python\ntimer.remind()\n```\nThat is a method.",
        "- **remind**: sets a reminder\n  - text: what of\n  - in_minutes: from now on",
        "### remind\n- text: what of\n- in_minutes: minutes from now",
        "**remind**\n* text: what of",
        "remind: sets a reminder. text: what of, in_minutes: when",
        "Usage:\n```\nremind <text> <in_minutes>\n```",
        "Sure. <remind> is an element. It has <text>.",
        'remind(text="...", in_minutes=...)',
        '```json\n[{"name": "remind", "kind": "tool"}, {"name": "search_memory", "kind": "tool"}]\n```\nThe tools.',
        '```json\n{"name": "remind", "description": "Sets one.", "parameters": {"type": "object"}}\n```\nThe schema.',
        "In TypeScript its type is Promise<ToolCall>",
        "Use std::vector<Tool>",
        "Write the component like this:\n<ToolCall />",
        "The list begins with this line:\n<tools>",
        'Forty-two.\n<tool_response>\n{"messages": [{"te',  # a result that the model makes up is removed elsewhere
    ],
)
def test_mentioning_tool_is_not_a_call(text: str) -> None:
    assert find_calls_in_text(text, REMINDERS, is_whole=True).shown == text


def test_call_between_sentences_is_made_unless_question_names_its_language() -> None:
    text = 'You can write:\n```python\nremind(text="tea", in_minutes=5)\n```\nand it will be called every day.'
    reading = find_calls_in_text(text, REMINDERS, is_whole=True, question="how would a reminder look in python?")
    assert (reading.shown, reading.calls) == (text, ())
    meant = 'Sure.\n```python\nremind(text="tea", in_minutes=5)\n```\nI have set the reminder.'
    reading = find_calls_in_text(meant, REMINDERS, is_whole=True, question="remind me of the tea in 5 minutes")
    assert (reading.shown, [call.name for call in reading.calls]) == ("Sure.\n", ["remind"])


@pytest.mark.parametrize(
    "text",
    [
        f"Sure.\n<|assistant|>remind\n{GIVEN}",  # GLM-4
        f"<|recipient|> all\n<|content|> Sure.\n<|from|> assistant\n<|recipient|> remind\n<|content|> {GIVEN}",
        f'Sure.<|start_header_id|>assistant<|end_header_id|>\n\n{{"name": "remind", "parameters": {GIVEN}}}',
        f"Sure.\n\n`remind`\n```json\n{GIVEN}\n```",
    ],
)
def test_call_in_further_message_of_model_is_made(text: str) -> None:
    question = "remind me of the fern in 5 minutes"
    reading = find_calls_in_text(remove_thoughts(text), REMINDERS, is_whole=True, question=question)
    assert [json.loads(call.arguments) for call in reading.calls] == [REMIND]


@pytest.mark.parametrize(
    "words", ["Here is what I can do:\n- remind: sets a reminder\n\n", "# remind\n\n| a |\n|---|\n\n"]
)
@pytest.mark.parametrize(
    "call",
    [
        '<remind text="fern" in_minutes="5"/>',
        '<|python_tag|>remind.call(text="fern", in_minutes=5)',
        "call:default_api:remind{text:<ctrl46>fern<ctrl46>,in_minutes:5}",
        f'functools[{{"name": "remind", "arguments": {GIVEN}}}]',
        f"remind\n{GIVEN}",
    ],
)
def test_shows_text_about_tool_before_call(words: str, call: str) -> None:
    found = find_calls_in_text(words + call, REMINDERS, is_whole=True)
    assert ([json.loads(call.arguments) for call in found.calls], found.shown.strip()) == ([REMIND], words.strip())


@pytest.mark.parametrize(
    "call",
    [
        '<remind text="fern" in_minutes="5"/>',
        '<|python_tag|>remind.call(text="fern", in_minutes=5)',
        "call:remind{text:<escape>fern<escape>,in_minutes:5}",
    ],
)
def test_call_may_follow_sentence_on_same_line(call: str) -> None:
    found = find_calls_in_text(f"Sure. {call}", REMINDERS, is_whole=True)
    assert ([json.loads(call.arguments) for call in found.calls], found.shown) == ([REMIND], "Sure. ")


def test_keeps_valid_call_next_to_malformed_call() -> None:
    text = f"<|tool_call_begin|>functions.remind:0 {GIVEN}<|tool_call_end|><|tool_call_begin|>functions.remind:1 {{oops"
    assert [json.loads(call.arguments) for call in find_calls_in_text(text, REMINDERS, is_whole=True).calls] == [REMIND]


def test_parses_arguments_of_two_invoke_elements_separately() -> None:
    calls = [
        f'<invoke name="{name}"><parameter name="text">{name}</parameter></invoke>' for name in ("remind", "remember")
    ]
    found = find_calls_in_text(
        f"<function_calls>{''.join(calls)}</function_calls>", {**REMINDERS, **NAMES}, is_whole=True
    )
    assert [(call.name, json.loads(call.arguments)["text"]) for call in found.calls] == [
        ("remind", "remind"),
        ("remember", "remember"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"I should set it. It is about a fern.\n</think>\n\n<tool_call>\n{CALL}\n</tool_call>",
        f"[unused11][{CALL}][unused12]",  # Pangu, whose thoughts stand between such tokens, too
    ],
)
def test_hides_call_next_to_thoughts_without_opening_tag(text: str) -> None:
    answer, drafts = PartialAnswer(offer=ToolOffer(known=frozenset(NAMES))), []
    for character in text:
        answer.add_chunk_and_count_chars({"choices": [{"index": 0, "delta": {"content": character}}]})
        drafts.append(answer.pop_text_if_changed() or "")
    assert not any(set("<{[") & set(draft) for draft in drafts)
    assert [call.name for call in answer.parse_text_and_calls().calls] == ["search_memory"]


@pytest.mark.parametrize(
    "text",
    [
        'searchMemory(query="plants")',
        'SearchMemory(query="plants")',
        'search-memory {"query": "plants"}',
        "<search-memory><query>plants</query></search-memory>",
        '{"name": "search-memory", "arguments": {"query": "plants"}}',
        '<tool_call>{"name": "searchMemory", "arguments": {"query": "plants"}}</tool_call>',
    ],
)
def test_reads_name_in_other_spelling(text: str) -> None:
    """Models write names in the style of the tools that they were trained with."""
    names = ToolOffer(tools=(SEARCH_MEMORY,)).parameters_by_tool
    [call] = find_calls_in_text(text, names, is_whole=True).calls
    assert (call.name, json.loads(call.arguments)) == ("search_memory", {"query": "plants"})
    assert find_calls_in_text(text, names, is_whole=False).shown == ""


def test_reads_every_call_of_list_without_opening_tokens() -> None:
    """Fireworks sent the calls of Kimi K2.6 so."""
    text = "\n".join(
        f'search_memory:{number}<|tool_call_argument_begin|>{{"query": "{word}"}}<|tool_calls_section_end|>'
        for number, word in enumerate(("plants", "walnuts"))
    )
    reading = find_calls_in_text(text, NAMES, is_whole=True)
    assert [json.loads(call.arguments)["query"] for call in reading.calls] == ["plants", "walnuts"]
    assert reading.shown == ""
