"""Refusals in words and forms that nobody here has heard of: the person is answered, in this turn and in the next."""

import pytest

from tests.end_to_end.harness import House
from tests.peers.raw_server import Json, Raw, raw_server, refusal, said, words_of

pytestmark = pytest.mark.asyncio(loop_scope="module")
APPLES = "Forty-two apples."


def html(status: int) -> Raw:
    return Raw(body=b"<html><h1>Nope</h1></html>", status=status, content_type="text/html")


FEATURES = {
    "tools, in German": ("tools", refusal(400, {"error": {"message": "Werkzeuge werden nicht unterstützt"}})),
    "tools, in Chinese": ("tools", refusal(400, {"error": {"code": "1210", "message": "API 调用参数有误"}})),
    "tools, 422 of FastAPI": ("tools", refusal(422, {"detail": [{"loc": ["body", "tools"], "msg": "extra fields"}]})),
    "tools, 501": ("tools", refusal(501, {"error": "not implemented"})),
    "tools, 405": ("tools", refusal(405, {"error": "nope"})),
    "tools, 404 (OpenRouter)": (
        "tools",
        refusal(404, {"error": {"message": "No endpoints found that support tool use.", "code": 404}}),
    ),
    "tools, 415": ("tools", refusal(415, {})),
    "tools, 406": ("tools", refusal(406, {"message": "x"})),
    "tools, 500": ("tools", refusal(500, {"error": {"message": "list index out of range"}})),
    "tools, HTML": ("tools", html(400)),
    "tools, empty body": ("tools", Raw(body=b"", status=400, content_type="application/json")),
    "tools, under 200": ("tools", refusal(200, {"error": {"code": 400, "message": "Funktion nicht verfügbar"}})),
    "stream, 400": ("stream", refusal(400, {"error": {"message": "le streaming n'est pas permis", "param": "stream"}})),
    "stream_options": ("stream_options", refusal(400, {"error": {"message": "Unrecognized field: stream_options"}})),
    "stream_options, 422": ("stream_options", refusal(422, {"message": "Extra inputs are not permitted"})),
    "stream_options, 500": ("stream_options", refusal(500, {"error": {"message": "KeyError: 'include_usage'"}})),
}


@pytest.mark.parametrize("kind", FEATURES)
async def test_a_refused_feature_is_left_out(own_house: House, kind: str) -> None:
    name, refused = FEATURES[kind]

    def answer(request: Json) -> Raw:
        return refused if name in request else said(APPLES)

    async with raw_server(answer) as (server, url), own_house.bot(OPENAI_BASE_URL=url):
        ann = own_house.person()
        assert await ann.asks("How many?") == APPLES
        assert len(server.requests) <= 4
        assert await ann.asks("And today?") == APPLES


DECLINED = {
    "Gemini": refusal(400, {"error": {"message": "blocked", "status": "PROHIBITED_CONTENT"}}),
    "200, error": refusal(200, {"error": {"code": "content_filter", "message": "nein"}}),
    "Chinese": refusal(400, {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}}),
    "unknown words": refusal(400, {"error": {"message": "Ta treść jest niedozwolona"}}),
    "unknown words, 403": refusal(403, {"error": {"message": "zakazane"}}),
    "HTML 403 (a firewall)": html(403),
    "406": refusal(406, {"error": "zakazane"}),
    "451": refusal(451, {"error": "zakazane"}),
    "500": refusal(500, {"error": "zakazane"}),
    "empty answer": said(""),
    "finish SAFETY": Raw(
        body=b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"SAFETY"}]}\n\ndata: [DONE]\n\n'
    ),
    "no choices": Raw(body=b'{"choices":[],"prompt_feedback":{"block_reason":"PROHIBITED_CONTENT"}}'),
}


@pytest.mark.parametrize("kind", DECLINED)
async def test_a_declined_word_does_not_end_the_chat(own_house: House, kind: str) -> None:
    def answer(request: Json) -> Raw:
        return DECLINED[kind] if "zorkblat" in words_of(request) else said("Paris, of course.")

    async with raw_server(answer) as (server, url), own_house.bot(OPENAI_BASE_URL=url):
        ann = own_house.person()
        await ann.sets_up()
        assert "Paris" not in await ann.asks("please explain zorkblat to me")
        for question in ("what is the capital of France?", "and of Spain?"):
            server.requests.clear()
            assert await ann.asks(question, "Paris") == "Paris, of course."
            assert len(server.requests) <= 4


CREDIT = "has no credit left"
BUSY = "is busy"
SENTENCES = {
    "a redirect": (Raw(body=b"", status=307, content_type="text/html"), "Check OPENAI_BASE_URL"),
    "401 in HTML": (html(401), "Check OPENAI_API_KEY"),
    "402": (refusal(402, {"error": "pay"}), CREDIT),
    "403 for a balance": (refusal(403, {"error": {"message": "your account balance is insufficient"}}), CREDIT),
    "400 for arrears": (refusal(400, {"code": "Arrearage", "message": "Access denied."}), CREDIT),
    "a balance under 200": (
        Raw(body=b'{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}'),
        CREDIT,
    ),
    "502 in HTML": (html(502), BUSY),
    "503 as a field of a stream": (Raw(body=b'error: {"code":503,"message":"no slot"}\n\n'), BUSY),
    "404 in HTML": (html(404), "Check OPENAI_MODEL"),
}


@pytest.mark.parametrize("kind", SENTENCES)
async def test_the_sentence_says_what_is_the_matter(own_house: House, kind: str) -> None:
    answer, words = SENTENCES[kind]
    async with raw_server(lambda _: answer) as (_, url), own_house.bot(OPENAI_BASE_URL=url, MODEL_TIMEOUT="20"):
        assert words in await own_house.person().asks("How many?")
