"""A model's thoughts are removed in every known format, also while they are streamed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.written.template_tokens import remove_template_tokens
from llm.written.thoughts import remove_thoughts

ANSWERS = [
    "SECRET plan\n</think>\n\nVisible answer",
    "<think time=3>SECRET plan</think>Visible answer",
    "Sure. <think>SECRET plan</think>\nVisible answer",
    "<reasoning>SECRET</reasoning>\nVisible answer",
    "<mm:think>SECRET</mm:think>\nVisible answer",
    "<seed:think>SECRET</seed:think>Visible answer",
    "◁think▷SECRET◁/think▷Visible answer",
    "[THINK]SECRET[/THINK]Visible answer",
    "<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>Visible answer",
    "<|START_THINKING|>SECRET<|END_THINKING|><|START_RESPONSE|>Visible answer<|END_RESPONSE|>",
    "<|channel>thought\nSECRET\n<channel|>Visible answer",
    "analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>Visible answer",
    "final<|message|>Visible answer",
    "<|channel|>Analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>Final<|message|>Visible answer",
    "<|channel|>thinking<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>Visible answer",
    "<thinking about it>SECRET</thinking>Visible answer",
    "<Thought_Process>SECRET</Thought_Process>Visible answer",
    '<thinking mode="deep">SECRET</thinking>\n\nVisible answer',
    "<think>\nSECRET `code` ```py\nSECRET\n</think>\nVisible answer",
    "<think>SECRET</think>Visible answer<think>SECRET</think>",
    "SECRET</think>Visible answer",
    "<think>SECRET <think>SECRET</think> SECRET</think>Visible answer",
    "<|thinking|>SECRET<|/thinking|>Visible answer",
    "<|think|>SECRET</|think|>Visible answer",
    "<|channel|>final<|message|>Visible answer<|return|>",
    "<internal_reasoning>SECRET</internal_reasoning>Visible answer",
    "<|begin_of_thought|>SECRET<|end_of_thought|><|begin_of_solution|>Visible answer<|end_of_solution|>",
    "<｜begin▁of▁thinking｜>SECRET<｜end▁of▁thinking｜>Visible answer",
    "<|startthink|>SECRET<|endthink|>Visible answer",
    "＜think＞SECRET＜/think＞Visible answer",
    "<think>SECRET</think><answer>Visible answer</answer>",
    "<scratchpad>SECRET</scratchpad>\nVisible answer",
    "<scratchpad>\nSECRET <note>SECRET</note>\n</scratchpad>\n\nVisible answer",
    "<analysis>\nSECRET\n</analysis>\n<answer>\nVisible answer\n</answer>",
    "<planning>SECRET</planning>\n<final_answer>Visible answer</final_answer>",
    '<inner_monologue lang="en">SECRET</inner_monologue> Visible answer',
    "\n<Self-Reflection>SECRET</Self-Reflection>\n\nVisible answer",
    "<scratchpad>SECRET</scratchpad><think>SECRET</think>Visible answer",
]
MENTIONS = [
    "The tag <think> opens a block and </think> closes it.",
    "Use `<think>` and `</think>`.",
    "```xml\n<think>this</think>\n```\nThat is how it looks.",
    'It writes "<think>" first.',
    "I think so. [A reason](https://example.org) is 3 < 4.",
    "<b>bold</b>",
    "<details><summary>The way to it</summary>A long text that can be opened.</details>\nHello.",
    "<details>\nA long text that can be opened by whoever likes.\n</details>\n\nHello.",
    "<username>anna</username>\n\nThis element holds the name.",
    "<note><to>Anna</to><body>Bring the walnuts to the market on Monday.</body></note>\nThat is a note in XML.",
    "<intro>Ladies and gentlemen, welcome to the walnut fair!</intro>\n<close>Thank you all for coming today.</close>",
    "<analysis>The walnuts were ripe early this year, since the summer was hot.</analysis>",
    "<poem>Walnuts fall upon the ground, and nobody hears a sound.</poem> is how I would mark it.",
    '<config>\n{"walnuts": 3, "pears": 4, "apples": 5, "plums": 6}\n</config>\nSave this as a file.',
    "<poem>\nWalnuts fall upon the ground,\nand nobody ever hears a sound.\n</poem>\n\nI hope that you like it.",
    "<letter>Dear Anna, the walnuts are ripe, and there are many.</letter>\nShall I make it shorter?",
    "<scratchpad> is a tag that some models write.",
    "<|begin_of_text|> is equivalent to the BOS token.",
    "[gMASK] stands in front of GLM's prompt, and <sop> behind it.",
    "<bos> is the token in front of a text",
    "For example:\n~~~xml\n<think>walnuts</think>\n~~~\nDone!",
    "Here it is:\n<scratchpad>walnuts, pears</scratchpad>\nDone.",
    "Here it is:\n<order>\n  <reason>Moved</reason>\n  <reasonCode>5</reasonCode>\n</order>\nDone.",
]


@pytest.mark.parametrize("text", ANSWERS)
def test_removes_thoughts(text: str) -> None:
    said = remove_template_tokens(remove_thoughts(text), "")
    assert "Visible answer" in said
    assert "SECRET" not in said
    assert "Sure." not in text or "Sure." in said
    assert not set("<[◁") & set(said)


@pytest.mark.parametrize(
    "text", [text for text in ANSWERS if not text.startswith("SECRET") and "> SECRET<" not in text]
)
def test_hides_thoughts_while_streaming(text: str) -> None:
    for end in range(len(text)):
        seen = remove_template_tokens(remove_thoughts(text[:end], is_whole=False), "")
        assert "SE" not in seen, text[:end]
        assert not set("<[◁") & set(seen), text[:end]


@pytest.mark.parametrize("text", MENTIONS)
def test_keeps_tags_mentioned_in_text(text: str) -> None:
    assert remove_thoughts(text) == text
    assert all(text.startswith(remove_thoughts(text[:end], is_whole=False)) for end in range(len(text)))


@given(
    st.sampled_from(["<{}>", "[{}]", "◁{}▷", "<|{}|>"]),
    st.sampled_from(["think", "THINKING", "thought", "x:Think", "reasoning", "my-thoughts"]),
    st.text(alphabet="abc \n`*", max_size=30),
)
def test_removes_block_with_thinking_name_in_any_brackets(brackets: str, name: str, inside: str) -> None:
    text = f"{brackets.format(name)}{inside}SECRET{brackets.format('/' + name)}\nVisible."
    assert remove_thoughts(text) == "Visible."


@given(
    st.sampled_from(["scratchpad", "Analysis", "self_reflection", "inner-monologue", "x:planning"]),
    st.text(alphabet="abc <>\n`*", max_size=30),
    st.sampled_from(["", " ", "\n", "\n\n"]),
)
def test_hides_scratchpad_block_before_answer(name: str, inside: str, gap: str) -> None:
    text = f"<{name}>{inside}SECRET{inside}</{name}>{gap}Visible."
    assert remove_thoughts(text) == "Visible."
    assert not any("SECRET" in remove_thoughts(text[:end], is_whole=False) for end in range(len(text)))


@given(st.text(alphabet="<>/ab{}\n .", max_size=120))
def test_removes_scratchpad_block_only_at_beginning(text: str) -> None:
    assert remove_thoughts(f"Well: {text}") == f"Well: {text}"


@given(st.text(alphabet="<>[]|/`think \n", max_size=80))
def test_remove_thoughts_accepts_arbitrary_text(text: str) -> None:
    assert isinstance(remove_thoughts(text), str)
    assert isinstance(remove_thoughts(text, is_whole=False), str)


def test_many_tags_are_parsed_quickly() -> None:
    assert remove_thoughts("<think>a</think>" * 5_000 + "Hello") == "Hello"
    assert remove_thoughts("[" + " " * 20_000 + "x") == "[" + " " * 20_000 + "x"
    assert remove_thoughts("<" * 20_000, is_whole=False) == "<" * 19_998
    for token in ("<｜end▁of▁sentence｜>", "<eos>"):  # took minutes, read from each token on
        assert remove_template_tokens(remove_thoughts(f"x{token * 40_000}x"), "") == "xx"


@pytest.mark.parametrize(
    "text",
    [
        "analysisSECRET planassistantfinalVisible answer",
        "《think》SECRET《/think》Visible answer",
        "(thinking)SECRET(/thinking)Visible answer",
        "<cot>a <analysis>SECRET</analysis> b SECRET</cot>Visible answer",
        "<thinking>a <analysis>SECRET</analysis> b SECRET</thinking><output>Visible answer</output>",
        "Visible answer<think>I do the <planning> now, SECRET</think>",
        "[think]It begins with `````````py\nSECRET[/think]Visible answer",
        "<unused94>thought\nSECRET<unused95>Visible answer",
        '<details type="reasoning" done="true">\nSECRET\n</details>\nVisible answer',
        "<|begin_of_thought|>SECRET<|end_of_thought|>Visible answer",
        "Visible answer<|user|>\nSECRET?",
        "Visible answer<seed:eos>",
    ],
)
def test_removes_thoughts_in_formats_of_other_servers(text: str) -> None:
    assert remove_thoughts(text) == "Visible answer"


@pytest.mark.parametrize(
    "text",
    [
        "[start thinking]\nSECRET",
        "[think duration=3]SECRET",
        "\n[THINK]SECRET",
        "<think>SECRET",
        "<think> ok, the user wants SECRET.",
        "<think> the user asks for SECRET. i answer.",
        "<think>so this is SECRET.",
        "<think> ладно, SECRET.",
        "<think> gut, SECRET.",
        "<thinking> let me see. SECRET is it.",
    ],
)
def test_removes_unclosed_thoughts(text: str) -> None:
    assert remove_thoughts(text).strip() == ""


@pytest.mark.parametrize(
    "text",
    [
        "<think> открывает блок.",
        "<think> es una etiqueta.",
        "<think> — это тег.",
        "<think>是一个标签。",
        "<think> marks the beginning of thoughts. A slash closes it.",
        "The header is <|im_start|> and a role.",
        "```\n<|im_start|>user\nHello<|im_end|>\n```\nThat is ChatML.",
        "Thinking... it over, I would say yes.",
    ],
)
def test_keeps_think_tags_and_template_tokens_mentioned_in_text(text: str) -> None:
    assert remove_thoughts(text) == text


@pytest.mark.parametrize("token", ["<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>", "<｜end▁of▁sentence｜>"])
def test_removes_end_token_unless_mentioned_in_text(token: str) -> None:
    assert remove_thoughts(f"Visible answer{token}\n") == "Visible answer"
    assert remove_thoughts(f"The token is {token}") == f"The token is {token}"


@pytest.mark.parametrize(
    "text",
    [
        "I wrote [thinking](http://example.org) down.",
        "A word (think) in brackets.",
        "analysis of it",
        "analysis of what the assistant finally said",
        "[thinking] is the present participle.",
        "{{ reason }} is a placeholder.",
        "《思考》是一本书。",
        "List<Thought> thoughts = new ArrayList<Thought>();",
        "import x\n<ThinkingDots />",
        "if len(text) <= MAX_REASONING_CHARS and found:\n    return cut -> text",
        "<% if reason %><p>Because</p><% end %> is ERB.",
        '<a class="button" href="/thinking">Think</a> is a link.',
        "<생각에 관한 생각>은 대니얼 카너먼의 책입니다.",
        "1. <생각의 탄생> - 루트번스타인\n2. <생각 수업>",
        "<التفكير السريع> كتاب جيد.",
        "<%thought%> and <%= thought %> are EJS.",
        '<div class="thought-bubble">Hello</div>',
        '<section class="thoughts"><p>Hello</p></section>',
        "/think\nThe model thinks.\n/no_think\nIt does not.",
        "[unused1] is a token of BERT. It has 994 of them.",
        "[0:v]scale=10:10[pad];[pad]crop=4:4",
        "Tags that models use:\n- <think>\n- <thinking>\n- <reasoning>",
    ],
)
def test_keeps_bracketed_text_links_and_code(text: str) -> None:
    assert remove_thoughts(text) == text


@pytest.mark.parametrize(
    "text", ["Here's my thought process: first I counted.\n\nSo it is 12.", "<turn>hello</turn>", "<turn>3</turn> of 5"]
)
def test_keeps_answer_resembling_thought_markers(text: str) -> None:
    assert remove_thoughts(text) == text


@pytest.mark.parametrize("header", ["a", "assis", "assistant", "assistant t", "assistant to=functions.search"])
def test_hides_incomplete_channel_header(header: str) -> None:
    beginning = "<|channel|>analysis<|message|>SECRET<|end|><|start|>"
    assert remove_thoughts(beginning + header, is_whole=False) == ""


def test_keeps_text_in_front_of_call_in_channel() -> None:
    """gpt-oss, whose preamble some servers send without its header."""
    call = "<|channel|>commentary to=functions.search_memory<|message|>{}<|call|>"
    assert remove_thoughts(f"Let me look.<|end|><|start|>assistant{call}").startswith("Let me look.")


def test_removes_cut_channel_without_opening_token() -> None:
    for header in ("analysis", "commentary"):
        assert remove_thoughts(f"{header}<|message|>SECRET") == ""


def test_keeps_template_tokens_mentioned_in_final_channel() -> None:
    for answer in ("The token <|endoftext|> ends a text. More follows.", "```\n<|im_start|>user\n```\nThat is ChatML."):
        written = f"<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>{answer}"
        assert remove_thoughts(f"{written}<|return|>") == answer


@pytest.mark.parametrize("marks", ["◁think▷SECRET◁/think▷", "[THINK]SECRET[/THINK]", "{think}SECRET{/think}"])
def test_hides_thoughts_after_first_sentence_while_streaming(marks: str) -> None:
    text = f"Sure. {marks}Visible answer"
    drafts = [remove_thoughts(text[:end], is_whole=False) for end in range(len(text) + 1)]
    assert not any("SE" in draft for draft in drafts)
    assert remove_thoughts(text) == "Sure. Visible answer"


@pytest.mark.parametrize(
    "text",
    [
        "Lektion 3\n\n【思考题】\n1. 你怎么看？\n\n【推理】\n2. 为什么？",
        "ANNA: [thinking] I never knew.\nBEN: [thought] Nor did I.",
        "\\section{Thoughts}\n\\textbf{Reasoning} and \\textit{think} are words.",
        "std::vector<Thought*> thoughts; List<Thought?> others",
        "[[Logic|Reasoning]] is how MediaWiki writes a link.",
    ],
)
def test_shows_headings_and_code_while_streaming(text: str) -> None:
    drafts = [remove_thoughts(text[:end], is_whole=False) for end in range(len(text) + 1)]
    assert all(len(text[:end]) - len(draft) <= 24 for end, draft in enumerate(drafts))
    assert drafts[-1] == text


def test_shows_short_answer_while_it_arrives_in_its_channel() -> None:
    text = "<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>It is seven."
    assert remove_thoughts(text, is_whole=False) == "It is seven."


def test_hides_beginning_of_end_token_of_minimax() -> None:
    assert {remove_thoughts("It is seven.[e~["[:end], is_whole=False) for end in range(12, 17)} == {"It is seven."}


def test_keeps_element_at_end_of_answer_behind_thoughts() -> None:
    assert remove_thoughts("<think>SECRET</think>\nIt is <output>7</output>") == "It is <output>7</output>"
    assert remove_thoughts("SECRET</think>\n7</output>") == "7"
