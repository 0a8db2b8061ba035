"""Post pending updates to the bot's webhook.

The updates of a chat are sent in order. Each is retried until the webhook accepts it.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx

from playground.refusals import Json
from playground.server import ServerLifetime
from playground.updates import Updates, find_chat_id

DELAYS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)  # seconds after the first, second, … failure in a row; the last value repeats
TIMEOUT_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Webhook:
    url: str
    secret: str
    max_connections: int


class WebhookSender:
    """Delivers updates while a webhook is set.

    Like the real server's WebhookActor, it sends only one update of each chat at a time. It serves several chats in
    parallel, up to the webhook's `max_connections`.
    """

    def __init__(self, updates: Updates, clock: Callable[[], float], delays: Sequence[float] = DELAYS) -> None:
        self.webhook: Webhook | None = None
        self._updates = updates
        self._clock = clock
        self._delays = delays
        self._task: asyncio.Task[None] | None = None
        self._last_error: Json = {}

    def set_webhook(self, webhook: Webhook | None, lifetime: ServerLifetime) -> None:
        self.webhook = webhook
        self._last_error = {}
        if self._task:
            self._task.cancel()
        self._task = None
        self.resume_deliveries(lifetime)

    def resume_deliveries(self, lifetime: ServerLifetime) -> None:
        """Resume delivery if a webhook is set. Call this after the server restarts with the same world."""
        if self.webhook and (self._task is None or self._task.done()):
            self._task = lifetime.spawn(self._deliver_updates(self.webhook))

    def make_webhook_info(self) -> Json:
        """Return the WebhookInfo object of the Bot API."""
        info: Json = {
            "url": self.webhook.url if self.webhook else "",
            "has_custom_certificate": False,
            "pending_update_count": len(self._updates.list_pending()),
        }
        if self.webhook:
            info["max_connections"] = self.webhook.max_connections
        if self._updates.allowed:
            info["allowed_updates"] = self._updates.allowed
        return info | self._last_error

    async def _deliver_updates(self, webhook: Webhook) -> None:
        headers = {"X-Telegram-Bot-Api-Secret-Token": webhook.secret} if webhook.secret else {}
        connections, busy = asyncio.Semaphore(webhook.max_connections), set[int]()
        # trust_env=False: two programs on one machine must not use a proxy from the environment.
        async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS, trust_env=False) as client, asyncio.TaskGroup() as group:

            async def deliver(update: Json) -> None:
                failures = 0
                while error := await _post_update(client, webhook.url, update, headers):
                    self._last_error = {"last_error_date": int(self._clock()), "last_error_message": error}
                    await asyncio.sleep(self._delays[min(failures, len(self._delays) - 1)])
                    failures += 1
                self._updates.remove(update["update_id"])
                busy.discard(find_chat_id(update))
                connections.release()

            while True:
                await connections.acquire()
                update = await self._updates.wait_for_oldest_update(busy)
                busy.add(find_chat_id(update))
                group.create_task(deliver(update))


async def _post_update(client: httpx.AsyncClient, url: str, update: Json, headers: dict[str, str]) -> str:
    """Post an update. Return "" if it was accepted, or else the real server's error message."""
    try:
        response = await client.post(url, json=update, headers=headers)
    except httpx.TimeoutException:
        return "Read timeout expired"
    except httpx.HTTPError:
        return "Connection refused"
    if response.is_success:
        return ""
    return f"Wrong response from the webhook: {response.status_code} {response.reason_phrase}"
