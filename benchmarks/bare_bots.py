"""Two bots without memory for comparison: `echo` repeats the text, and `model` asks the same model.

`python -m benchmarks.bare_bots echo|model --api URL --token TOKEN [--model-url URL]` runs until SIGTERM. They are
written like the examples of python-telegram-bot and openai, and handle as many concurrent updates as our bot.
"""

import argparse
import logging
from collections.abc import Sequence
from typing import Any

from openai import AsyncOpenAI
from telegram import Update
from telegram.ext import Application, ApplicationBuilder, ContextTypes, MessageHandler, filters

MAX_CONCURRENT_UPDATES = 64

AnyApplication = Application[Any, Any, Any, Any, Any, Any]


async def echo(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    if update.message and update.message.text:
        await update.message.reply_text(update.message.text)


async def answer_with_model(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    if not update.message or not update.message.text:
        return
    client: AsyncOpenAI = context.bot_data["client"]
    stream = await client.chat.completions.create(
        model="instant",
        messages=[
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": update.message.text},
        ],
        stream=True,
    )
    parts = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    await update.message.reply_text("".join(parts))


def make_application(kind: str, *, api: str, token: str, model_url: str) -> AnyApplication:
    application: AnyApplication = (
        ApplicationBuilder()
        .token(token)
        .base_url(f"{api}/bot")
        .connection_pool_size(256)
        .pool_timeout(30)
        .concurrent_updates(MAX_CONCURRENT_UPDATES)
        .build()
    )
    if kind == "model":
        application.bot_data["client"] = AsyncOpenAI(base_url=model_url, api_key="none")
    application.add_handler(MessageHandler(filters.TEXT, answer_with_model if kind == "model" else echo))
    return application


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bare_bots", description=__doc__)
    parser.add_argument("kind", choices=("echo", "model"))
    parser.add_argument("--api", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--model-url", default="")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING)
    application = make_application(options.kind, api=options.api, token=options.token, model_url=options.model_url)
    application.run_polling(poll_interval=0.0, timeout=25)


if __name__ == "__main__":
    main()
