"""A bot with a few fixed replies over raw HTTP, for tests of the chat page. It remembers nothing."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx

from tests.support.http import NO_CERTIFICATES

COMMANDS = [
    {"command": "start", "description": "What this bot is"},
    {"command": "summary", "description": "Set up the memory"},
    {"command": "summary_status", "description": "Where the memory stands"},
    {"command": "cancel", "description": "Leave the wizard"},
]

SHOWCASE = "bold italic code link hidden\nprint('hi')\nquoted words\n/summary 🙂 bold again"
SHOWCASE_ENTITIES = [
    {"type": "bold", "offset": 0, "length": 4},
    {"type": "italic", "offset": 5, "length": 6},
    {"type": "code", "offset": 12, "length": 4},
    {"type": "text_link", "offset": 17, "length": 4, "url": "https://example.org/"},
    {"type": "spoiler", "offset": 22, "length": 6},
    {"type": "pre", "offset": 29, "length": 11, "language": "python"},
    {"type": "blockquote", "offset": 41, "length": 12},
    {"type": "bot_command", "offset": 54, "length": 8},
    {"type": "bold", "offset": 66, "length": 4},
]


class ScriptedBot:
    """A bot that answers "show", "stream", "ask", "file", "type" and /start in fixed ways, and echoes the rest."""

    def __init__(self, http: httpx.AsyncClient, base: str) -> None:
        self._http = http
        self._base = base
        self.go_on = asyncio.Event()  # a streamed answer waits here before it is finished
        self.updates: list[dict[str, Any]] = []

    async def call(self, method: str, **parameters: Any) -> Any:
        answer = (await self._http.post(f"{self._base}/{method}", json=parameters)).json()
        if not answer["ok"]:
            raise RuntimeError(f"{method}: {answer['description']}")
        return answer["result"]

    async def run(self) -> None:
        await self.call("setMyCommands", commands=COMMANDS)
        offset = 0
        while True:
            for update in await self.call("getUpdates", offset=offset, timeout=20):
                offset = update["update_id"] + 1
                self.updates.append(update)
                if "message" in update:
                    await self._answer(update["message"])
                elif "callback_query" in update:
                    await self._pressed(update["callback_query"])

    async def _answer(self, message: dict[str, Any]) -> None:
        chat, text = message["chat"]["id"], message.get("text", message.get("caption", ""))
        if chat < 0 and "@keepsake_bot" not in text:
            return
        place = {"chat_id": chat}
        if "message_thread_id" in message:
            place["message_thread_id"] = message["message_thread_id"]
        match text.split("@")[0].strip():
            case "/start":
                rows = [[_button("SQLite"), _button("JSON")], [{"text": "Docs", "url": "https://example.org"}]]
                await self.call("sendMessage", **place, text="Hello! Where to?", reply_markup={"inline_keyboard": rows})
            case "show":
                await self.call("sendMessage", **place, text=SHOWCASE, entities=SHOWCASE_ENTITIES)
            case "type":
                await self.call("sendChatAction", **place, action="typing")
            case "stream":
                await self.call("sendMessageDraft", **place, draft_id=1, text="First words")
                await self.go_on.wait()
                await self.call("sendMessage", **place, text="First words, and the rest.")
            case "ask":
                await self.call(
                    "sendMessage", **place, text="After how many turns?", reply_markup={"force_reply": True}
                )
            case "file":
                await self._http.post(
                    f"{self._base}/sendDocument", data=place, files={"document": ("memory.json", b"{}")}
                )
            case words:
                reply = {"message_id": message["message_id"]}
                answer = words or "What a file!"
                await self.call("sendMessage", **place, text=f"You said: {answer}", reply_parameters=reply)

    async def _pressed(self, query: dict[str, Any]) -> None:
        message = query["message"]
        await self.call("answerCallbackQuery", callback_query_id=query["id"], text=f"{query['data']} it is")
        await self.call(
            "editMessageText",
            chat_id=message["chat"]["id"],
            message_id=message["message_id"],
            text=f"Memory in {query['data']}.",
        )


def _button(text: str) -> dict[str, str]:
    return {"text": text, "callback_data": text}


@contextlib.asynccontextmanager
async def scripted_bot(url: str, token: str) -> AsyncIterator[ScriptedBot]:
    """Run the scripted bot while the block runs."""
    async with httpx.AsyncClient(timeout=60, trust_env=False, verify=NO_CERTIFICATES) as http:
        bot = ScriptedBot(http, f"{url}/bot{token}")
        running = asyncio.create_task(bot.run())
        try:
            yield bot
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
