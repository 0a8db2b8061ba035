"""One turn: remember, recall, reply, remember; then settle. (Being built.)

Does not know Telegram: what came in is an Incoming, what goes out is a Reply.
"""

from external_memory import ExternalMemory
from models.chat_model import OnText
from records import Incoming, Reply, Scope
from summary_manager import SummaryManager


class Conversation:
    """Answers turns, scope by scope."""

    memory: ExternalMemory
    summaries: SummaryManager

    async def reply(self, incoming: Incoming, *, on_text: OnText | None = None) -> Reply:
        """Answer one turn. In one scope calls are served strictly in the order in which they were made.

        Never raises a KeepsakeError: a failure is a Reply with `is_error` and a sentence. A turn whose answer is stored
        already is not asked again (`repeated`). Cancelling it (shutdown, /stop) stores no answer.
        """
        raise NotImplementedError

    async def settle(self, scope: Scope) -> tuple[str, ...]:
        """Folds that are due, outside the turn; sentences that the owner must be told (a failed fold, once)."""
        raise NotImplementedError
