"""The protocol of a chat model. Does not know prompts, memory or Telegram."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from records.model_calls import Completion, PromptMessage, Tool

OnText = Callable[[str], Awaitable[None]]
"""Called with the whole text so far whenever more of an answer has arrived."""


class ChatModel(Protocol):
    """Answers a prompt. Raises a ModelError; never returns an empty or broken-off text.

    A text that ends at a length limit is returned, and says so (`Completion.is_truncated`).
    """

    name: str

    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        """`schema`: the JSON asked for, as `response_format` of type json_schema takes it: a wish, not a promise."""
        ...

    async def check(self) -> str:
        """One line saying that the endpoint answers (for --check). Raises a ModelError where it does not."""
        ...


@runtime_checkable
class BoundedModel(ChatModel, Protocol):
    """A chat model of which it may become known how much it takes in one request."""

    @property
    def prompt_limit(self) -> int | None:
        """Tokens that a prompt may have, room for an answer taken off; None where no limit is known."""
        ...


@runtime_checkable
class SizedModel(ChatModel, Protocol):
    """A chat model that can ask for its own size."""

    async def context_size(self) -> int | None:
        """Tokens of prompt and answer together, as the endpoint tells when asked; None where it does not."""
        ...


@runtime_checkable
class LimitableModel(ChatModel, Protocol):
    """A chat model whose answers can be kept from running on."""

    def limited(self) -> ChatModel:
        """The same model for background requests: an answer is at most about as long as its prompt."""
        ...


@runtime_checkable
class SeeingModel(ChatModel, Protocol):
    """A chat model that may be able to look at pictures."""

    @property
    def takes_pictures(self) -> bool:
        """False where they are turned off, and as soon as the endpoint has refused them."""
        ...


def takes_pictures(model: ChatModel) -> bool:
    """Whether pictures may be sent to a model: they were not refused yet."""
    return isinstance(model, SeeingModel) and model.takes_pictures


def prompt_room(model: ChatModel, most: int) -> int:
    """Tokens that a prompt may have now: `most`, or fewer where the model was found to take fewer."""
    limit = model.prompt_limit if isinstance(model, BoundedModel) else None
    return most if limit is None else min(most, limit)


@runtime_checkable
class ToolModel(ChatModel, Protocol):
    """A chat model that may be able to use tools."""

    @property
    def takes_tools(self) -> bool:
        """False as soon as the endpoint has refused them."""
        ...

    def with_tools(self, tools: Sequence[Tool], *, must_answer: bool = False, known: Collection[str] = ()) -> ChatModel:
        """The same model with these tools: a completion may then consist of calls (`Completion.calls`).

        `must_answer`: it may call no further tool, though the request still names those that it has used.
        `known`: names of further tools; an answer that calls one of them is no answer either.
        """
        ...
