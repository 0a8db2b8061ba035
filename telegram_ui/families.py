"""Every family of commands beside the basic ones, wired. Does not know what they do."""

from conversation import Conversation
from telegram_ui.buttons import Buttons
from telegram_ui.delivery import Delivery
from telegram_ui.family import Family, MayConfigure
from telegram_ui.memory_commands import MemoryCommands
from telegram_ui.policy_commands import PolicyCommands


def families(
    conversation: Conversation, delivery: Delivery, buttons: Buttons, *, may_configure: MayConfigure
) -> tuple[Family, ...]:
    """One of each; commands.py joins their handlers and presses."""
    return (
        PolicyCommands(conversation.memory, conversation.rebuilding, delivery, buttons, may_configure=may_configure),
        MemoryCommands(
            conversation.memory,
            conversation.facts,
            conversation.distilling,
            conversation.memory.wizards,
            delivery,
            buttons,
            may_configure=may_configure,
        ),
    )
