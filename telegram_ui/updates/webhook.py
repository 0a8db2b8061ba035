"""The HTTP endpoint that receives updates by webhook. It accepts only requests with the webhook's secret."""

import hmac

import telegram
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from records.errors import StorageError
from runtime.bounded_json import parse_untrusted_json
from telegram_ui.updates.durable_queue import DurableQueue
from telegram_ui.updates.parsing import MAX_RICH_PARTS, parse_raw_update
from text.characters import repair_surrogates_in_json

MAX_UPDATE_BYTES = 8_000_000  # bytes of one update. A table of 32,768 cells that replies to another has some 4 MB.
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name


def make_webhook_app(bot: telegram.Bot, queue: DurableQueue, secret: str) -> Starlette:
    """Return the webhook app. It answers 200 once an update is stored, or 503 to make Telegram send it again."""

    async def receive_update(request: Request) -> Response:
        given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return Response(status_code=403)
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_UPDATE_BYTES:
                return Response(status_code=413)
        try:
            data = repair_surrogates_in_json(parse_untrusted_json(body, max_parts=MAX_RICH_PARTS))
        except (ValueError, RecursionError):
            return Response(status_code=400)
        if not isinstance(data, dict) or not isinstance(data.get("update_id"), int):
            return Response(status_code=400)
        update = parse_raw_update(data, bot)
        try:
            await queue.enqueue_updates([(update, data)])
        except StorageError:
            return Response(status_code=503)
        return Response(status_code=200 if queue.are_updates_on_disk([update.update_id]) else 503)

    # Any path, because a proxy may strip the public one. The secret protects the endpoint.
    return Starlette(routes=[Route("/{path:path}", receive_update, methods=["POST"])])
