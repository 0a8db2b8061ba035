"""Every family of commands beside the basic ones, wired. Does not know what they do."""

from chat.services import Services
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
    services: Services, delivery: Delivery, buttons: Buttons, *, may_configure: MayConfigure
) -> tuple[Family, ...]:
    """One of each; commands.py joins their handlers and presses."""
    memory = services.memory
    studies = HistoryExtractionCommands(services.history_extraction, delivery, buttons, may_configure=may_configure)
    return (
        PolicyCommands(memory, services.rebuilder, delivery, buttons, may_configure=may_configure),
        MemoryCommands(
            memory,
            services.facts,
            services.distiller,
            services.corrections,
            memory.wizards,
            delivery,
            buttons,
            may_configure=may_configure,
        ),
        WhyCommands(services.explanations, delivery),
        SearchCommands(memory, services.search, delivery, buttons),
        IncognitoCommands(memory, delivery, may_configure=may_configure),
        TransferCommands(
            services.importer,
            services.exporter,
            delivery,
            buttons,
            may_configure=may_configure,
            studies=studies,
        ),
        studies,
        ForgetCommands(memory, services.corrections, delivery, buttons, may_configure=may_configure),
        EditedMessages(services.conversation, delivery, buttons),
        Proposals(memory, services.facts, services.corrections, delivery, may_configure=may_configure),
    )
