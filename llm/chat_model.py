"""The interface of a chat model."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from llm.precedence import Precedence
from records.model_calls import Completion, PromptMessage, Tool

OnText = Callable[[str], Awaitable[None]]  # called with the whole text so far whenever more of an answer has arrived


class ChatModel(ABC):
    """Answers a prompt. Raises a ModelError; never returns an empty or broken-off text.

    A text that ends at a length limit is returned, and says so (`Completion.is_truncated`). What not every model can do
    is done without here; a model that can overrides it.
    """

    name: str

    @abstractmethod
    async def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        on_text: OnText | None = None,
        schema: Mapping[str, object] | None = None,
    ) -> Completion:
        """`schema`: the JSON asked for, as `response_format` of type json_schema takes it: a wish, not a promise."""

    async def check(self) -> str:
        """One line saying that the endpoint answers (for --check). Raises a ModelError where it does not.

        Asks for the shortest of answers: only that proves address, key and model together.
        """
        await self.complete([PromptMessage(role="user", content="Reply with the word: ok")])
        return f"model {self.name} answers"

    @property
    def prompt_limit(self) -> int | None:
        """Tokens that a prompt may have, room for an answer taken off; None where no limit is known."""
        return None

    def for_person(self, _scope: object) -> "ChatModel":
        """Return the model for the requests of one answer in a scope, whose number is limited."""
        return self

    def in_background(self, _precedence: Precedence) -> "ChatModel":
        """Return the same model for background requests: they wait for answers, and none goes on for ever."""
        return self

    @property
    def takes_pictures(self) -> bool:
        """False where they are turned off or of no use to it, and as soon as the endpoint has refused them."""
        return False

    @property
    def sees(self) -> bool | None:
        """The same as far as somebody has said or shown it; None: nobody knows before a picture is sent."""
        return self.takes_pictures

    @property
    def takes_tools(self) -> bool:
        """False where tools are of no use to it, and as soon as the endpoint has refused them."""
        return False

    @property
    def reasons_with_tools(self) -> bool:
        """False as soon as the endpoint has refused tools unless `reasoning_effort` is `none`."""
        return True

    def with_tools(
        self, tools: Sequence[Tool], *, must_answer: bool = False, known: Collection[str] = ()
    ) -> "ChatModel":
        """Return the same model with these tools: a completion may then consist of calls (`Completion.calls`).

        `must_answer`: it may call no further tool, though the request still names those that it has used.
        `known`: names of further tools; an answer that calls one of them is no answer either.
        """
        return self


def find_prompt_room(model: ChatModel, most: int) -> int:
    """Return the tokens that a prompt may have now: `most`, or fewer where the model was found to take fewer."""
    return most if model.prompt_limit is None else min(most, model.prompt_limit)
