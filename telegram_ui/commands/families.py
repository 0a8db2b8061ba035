"""Every family of commands beside the basic ones, wired. Does not know what they do."""

from chat.conversation import Conversation
from telegram_ui.commands.buttons import Buttons
from telegram_ui.commands.edits import EditedMessages
from telegram_ui.commands.family import Family, MayConfigure
from telegram_ui.commands.forget import ForgetCommands
from telegram_ui.commands.history_extraction import HistoryExtractionCommands
from telegram_ui.commands.incognito import IncognitoCommands
from telegram_ui.commands.memory import MemoryCommands
from telegram_ui.commands.policy import PolicyCommands
from telegram_ui.commands.proposals import Proposals
from telegram_ui.commands.search import SearchCommands
from telegram_ui.commands.transfer import TransferCommands
from telegram_ui.commands.why import WhyCommands
from telegram_ui.sending.delivery import Delivery


def families(
    conversation: Conversation, delivery: Delivery, buttons: Buttons, *, may_configure: MayConfigure
) -> tuple[Family, ...]:
    """One of each; commands.py joins their handlers and presses."""
    memory = conversation.memory
    studies = HistoryExtractionCommands(conversation.history_extraction, delivery, buttons, may_configure=may_configure)
    return (
        PolicyCommands(memory, conversation.rebuilding, delivery, buttons, may_configure=may_configure),
        MemoryCommands(
            memory,
            conversation.facts,
            conversation.distiller,
            conversation.corrections,
            memory.wizards,
            delivery,
            buttons,
            may_configure=may_configure,
        ),
        WhyCommands(conversation.explanations, delivery),
        SearchCommands(memory, conversation.search, delivery, buttons),
        IncognitoCommands(memory, delivery, may_configure=may_configure),
        TransferCommands(
            conversation.importer,
            conversation.exporter,
            delivery,
            buttons,
            may_configure=may_configure,
            studies=studies,
        ),
        studies,
        ForgetCommands(memory, conversation.corrections, delivery, buttons, may_configure=may_configure),
        EditedMessages(conversation, delivery, buttons),
        Proposals(memory, conversation.facts, conversation.corrections, delivery, may_configure=may_configure),
    )
