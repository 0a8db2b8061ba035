"""Every family of commands beside the basic ones, wired. Does not know what they do."""

from conversation import Conversation
from telegram_ui.buttons import Buttons
from telegram_ui.corrections import Corrections
from telegram_ui.delivery import Delivery
from telegram_ui.family import Family, MayConfigure
from telegram_ui.forget_commands import ForgetCommands
from telegram_ui.incognito_commands import IncognitoCommands
from telegram_ui.memory_commands import MemoryCommands
from telegram_ui.move_commands import Moves
from telegram_ui.policy_commands import PolicyCommands
from telegram_ui.proposals import Proposals
from telegram_ui.search_commands import SearchCommands
from telegram_ui.study_commands import Studies
from telegram_ui.why_commands import WhyCommands


def families(
    conversation: Conversation, delivery: Delivery, buttons: Buttons, *, may_configure: MayConfigure
) -> tuple[Family, ...]:
    """One of each; commands.py joins their handlers and presses."""
    memory = conversation.memory
    studies = Studies(conversation.studying, delivery, buttons, may_configure=may_configure)
    return (
        PolicyCommands(memory, conversation.rebuilding, delivery, buttons, may_configure=may_configure),
        MemoryCommands(
            memory,
            conversation.facts,
            conversation.distilling,
            conversation.amending,
            memory.wizards,
            delivery,
            buttons,
            may_configure=may_configure,
        ),
        WhyCommands(conversation.provenance, delivery),
        SearchCommands(memory, conversation.search, delivery, buttons),
        IncognitoCommands(memory, delivery, may_configure=may_configure),
        Moves(
            conversation.importing,
            conversation.exporting,
            delivery,
            buttons,
            may_configure=may_configure,
            studies=studies,
        ),
        studies,
        ForgetCommands(memory, conversation.amending, delivery, buttons, may_configure=may_configure),
        Corrections(conversation, delivery, buttons),
        Proposals(memory, conversation.facts, conversation.amending, delivery, may_configure=may_configure),
    )
