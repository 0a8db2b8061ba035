"""The interface of a chat model."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from llm.precedence import Precedence
from records.model_calls import Completion, Prompt, PromptMessage, Schema, Tool
from records.owners import OwnerConfig

OnText = Callable[[str], Awaitable[None]]  # called with the whole text so far whenever more of an answer has arrived


class ChatModel(ABC):
    """Answers a prompt with non-empty text, or raises a ModelError."""

    name: str

    @abstractmethod
    async def complete(
        self, messages: Prompt, *, on_text: OnText | None = None, schema: Schema | None = None
    ) -> Completion:
        """Return the answer. `schema` requests JSON (as in `response_format`) but does not guarantee it."""

    async def probe_and_describe(self) -> str:
        """Ask the model for a short answer and return a status line. Raise ModelError if it does not answer."""
        await self.complete([PromptMessage(role="user", content="Reply with the word: ok")])
        return f"model {self.name} answers"

    @property
    def max_prompt_tokens(self) -> int | None:
        """The maximum number of tokens in a prompt, without room for the answer. None if no limit is known."""
        return None

    def for_person(self, _person_scope: object) -> "ChatModel":
        """Return a model for one answer to a waiting person. The number of requests for this answer is limited."""
        return self

    def for_background_work(self, _precedence: Precedence) -> "ChatModel":
        """Return a model for background requests, which wait while people are being answered."""
        return self

    @property
    def supports_pictures(self) -> bool | None:
        """True if the model accepts pictures, False if it does not or they are turned off, or None if unknown."""
        return False

    @property
    def supports_tools(self) -> bool:
        """False if the model does not support tools or the endpoint has rejected them."""
        return False

    @property
    def supports_reasoning_with_tools(self) -> bool:
        """False if the endpoint accepts tools only with a `reasoning_effort` of `none`."""
        return True

    def with_tools(
        self, tools: Sequence[Tool], *, must_answer: bool = False, known_tool_names: Collection[str] = ()
    ) -> "ChatModel":
        """Return the model with `tools`. It may not call other `known_tool_names`, or any tool if `must_answer`."""
        return self


def choose_model(models: Mapping[str, ChatModel], config: OwnerConfig | None) -> ChatModel:
    """Return the model that an owner has chosen if it is still offered, or else the first one."""
    default = next(iter(models.values()))
    return models.get(config.model, default) if config is not None else default


def cap_at_model_limit(model: ChatModel, max_tokens: int) -> int:
    """Return the smaller of `max_tokens` and the model's prompt limit, in tokens."""
    return max_tokens if model.max_prompt_tokens is None else min(max_tokens, model.max_prompt_tokens)
