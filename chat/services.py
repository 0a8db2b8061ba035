"""A container for all open parts of the bot, which assembly.py creates."""

from collections.abc import Mapping
from dataclasses import dataclass

from background.backups import Backups
from background.indexing import Indexer
from background.rebuild import Rebuilder
from chat.attachments import Attachments, Speech
from chat.conversation import Conversation
from chat.corrections import Corrections
from chat.explanations import Explanations
from chat.search import MemorySearch
from chat.titles import TitleGenerator
from external_memory import ExternalMemory
from facts.distillation import ProfileDistiller
from facts.learning import Facts, HistoryExtraction
from llm.chat_model import ChatModel
from llm.quota import Quota
from memory_retrieval import MemoryRetrieval
from records.model_calls import Price
from records.scopes import Clock
from reminders.reading import ReminderReader
from reminders.sending import Reminders
from summary_manager import SummaryManager
from transfer.exporter import Exporter
from transfer.importer import Importer


@dataclass(frozen=True, kw_only=True, slots=True)
class Services:
    """The open resources and services of the bot. `models` starts with the default model."""

    memory: ExternalMemory
    conversation: Conversation
    corrections: Corrections
    attachments: Attachments
    speech: Speech | None
    retrieval: MemoryRetrieval
    search: MemorySearch
    explanations: Explanations
    titles: TitleGenerator
    summaries: SummaryManager
    rebuilder: Rebuilder
    facts: Facts
    distiller: ProfileDistiller
    history_extraction: HistoryExtraction
    importer: Importer
    exporter: Exporter
    reminders: Reminders
    reminder_reader: ReminderReader
    indexing: Indexer | None
    quota: Quota
    models: Mapping[str, ChatModel]
    prices: Mapping[str, Price]
    clock: Clock
    backups: Backups | None
