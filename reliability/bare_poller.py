"""The least that a bot can do behind a flood: fetch everything, keep nothing, answer questions at once.

`python -m reliability.bare_poller URL`, with the bot's token in the URL; ended by a signal. What a second person waits
for it is the floor of what they wait for any bot, for Telegram gives out a hundred updates a poll. Knows no store.
"""

import asyncio
import json
import re
import sys

import aiohttp

QUESTION = re.compile(r"question (\d+)")


async def poll(url: str) -> None:
    offset = 0
    async with aiohttp.ClientSession() as session:
        while True:
            asked = {"timeout": "25", "offset": str(offset), "allowed_updates": '["message"]'}
            async with session.post(f"{url}/getUpdates", data=asked) as response:
                updates = json.loads(await response.read())["result"]
            for update in updates:
                offset = update["update_id"] + 1
                message = update["message"]
                if found := QUESTION.search(message.get("text", "")):
                    answer = {"chat_id": str(message["chat"]["id"]), "text": f"Answer {found[1]}."}
                    async with session.post(f"{url}/sendMessage", data=answer) as response:
                        await response.read()


if __name__ == "__main__":
    asyncio.run(poll(sys.argv[1]))
