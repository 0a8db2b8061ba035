"""Create and connect all parts of the bot except Telegram. Begin with `open_services`."""

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from background.backups import set_up_backups
from background.indexing import Indexer
from background.rebuild import Rebuilder
from chat.answer_loop import AnswerLoop
from chat.answerer import Answerer
from chat.attachments import Attachments, Speech
from chat.conversation import Conversation
from chat.corrections import Corrections
from chat.explanations import Explanations
from chat.follow_up import FollowUp
from chat.memory_reading import MemoryReader
from chat.pictures import PictureDescriber
from chat.search import MemorySearch
from chat.services import Services
from chat.session import Sessions
from chat.titles import TitleGenerator
from chat.tools import MemoryTools
from external_memory import ExternalMemory, MakeAccessCheck
from facts.distillation import ProfileDistiller
from facts.extractor import Backoff, FactExtractor
from facts.learning import Facts, HistoryExtraction
from facts.requests import RequestBuilder
from llm.chat_model import ChatModel, cap_at_model_limit
from llm.embeddings import Embedder, EndpointEmbedder, make_embedder
from llm.endpoint import make_model_address
from llm.offline import ExtractiveSummarizer, OfflineModel
from llm.openai_api import OpenAIChat
from llm.precedence import Precedence
from llm.quota import Quota
from llm.speech import SpeechModel, Transcriber
from llm.trial import warn_of_model_shutdowns
from memory_retrieval import MemoryRetrieval
from records.model_calls import UNKNOWN
from records.scopes import Clock
from reminders.reading import ReminderReader
from reminders.sending import Reminders
from retrieval.prompt_builder import Budgets
from runtime.tasks import repeat_in_background, run_in_background
from settings import Settings
from summaries.generation import Summarizer, SummaryWriter
from summary_manager import SummaryLimits, SummaryManager
from text.tokenizer import Tokenizer
from transfer.archiver import Archiver
from transfer.exporter import Exporter
from transfer.importer import Importer

log = logging.getLogger(__name__)


def utc_now() -> datetime:
    return datetime.now(UTC)


def make_budgets(settings: Settings) -> Budgets:
    return Budgets(
        prompt=settings.max_context_tokens,
        system=settings.system_budget,
        summaries=settings.summary_budget,
        recent=settings.recent_budget,
        snippets=settings.snippet_budget,
    )


def make_summary_limits(settings: Settings, max_prompt_tokens: int) -> SummaryLimits:
    budgets = make_budgets(settings).scale_to_fit(max_prompt_tokens)
    return SummaryLimits.from_budgets(
        budgets, rolling_tokens=settings.rolling_summary_tokens, idle_minutes=settings.idle_fold_minutes
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Core:
    """The resources that most services share, such as the models, the memory and the quota."""

    settings: Settings
    clock: Clock
    memory: ExternalMemory
    answers: ChatModel
    models: Mapping[str, ChatModel]  # by name: the model that answers, and others that people may choose instead
    background: ChatModel  # the model that summarises
    describers: Sequence[ChatModel]  # models that may describe pictures, the first choice first
    precedence: Precedence
    quota: Quota
    tokenizer: Tokenizer
    summary_tokenizer: Tokenizer
    embedder: Embedder | None
    indexing: Indexer | None
    wake_indexer: Callable[[], None]
    retrieval: MemoryRetrieval


@asynccontextmanager
async def open_services(
    settings: Settings,
    *,
    clock: Clock = utc_now,
    offline: bool = False,
    models: tuple[ChatModel, ChatModel] | None = None,
    embedder: Embedder | None = None,
    make_access_check: MakeAccessCheck | None = None,
    commands: Mapping[str, str] | None = None,
) -> AsyncIterator[Services]:
    """Open all services for the duration of the block. Raise SettingsError or StorageError if one cannot be opened.

    If `offline`, do not use the model endpoint. `models` (the answering model and the summarising model) and `embedder`
    replace the configured ones. `commands` maps the names of bot commands to their descriptions for the model.
    """
    commands = commands or {}
    if offline:
        settings = replace(settings, openai_models=(), transcription_model="", speech_model="")
        if settings.embedding_model != "local" and not settings.embedding_base_url:
            settings = replace(settings, embedding_model="none")
        models = models or (OfflineModel(), ExtractiveSummarizer())
    async with AsyncExitStack() as stack:
        url = settings.database_url.value
        memory = await stack.enter_async_context(
            ExternalMemory.open(settings.data_dir, clock=clock, database_url=url, make_access_check=make_access_check)
        )
        core = await open_core_resources(
            settings, stack, memory, clock=clock, models=models, embedder=embedder, commands=commands
        )
        quota, wake = core.quota, core.wake_indexer
        facts, distiller, history_extraction = await open_learning_services(core, stack)
        summaries = make_summary_manager(core, facts)
        rebuilding = Rebuilder(memory=memory, summaries=summaries, stand_in=ExtractiveSummarizer(), clock=clock)
        rebuilder = await stack.enter_async_context(rebuilding)
        search = MemorySearch(memory=memory, retrieval=core.retrieval)
        reading = MemoryReader(memory=memory, search=search, tokenizer=core.tokenizer)
        proposable = facts if settings.learns_facts else None
        tools = MemoryTools(reading=reading, facts=proposable, clock=clock, commands=commands)
        sessions = Sessions()
        explanations = Explanations(memory, sessions)
        titles = await stack.enter_async_context(
            TitleGenerator(memory=memory, model=core.background, quota=quota, clock=clock)
        )
        corrections = Corrections(memory=memory, sessions=sessions, quota=quota, clock=clock, wake_indexer=wake)
        importer = make_importer(core)
        corrections.add_forgetting_callback(importer.stop_import)
        speaker = await open_speech_model(settings, stack)
        services = Services(
            memory=memory,
            conversation=make_conversation(core, sessions, explanations, tools, facts, distiller, summaries),
            corrections=corrections,
            attachments=await open_attachments(core, stack),
            speech=Speech(speaker=speaker, quota=quota) if speaker is not None else None,
            retrieval=core.retrieval,
            search=search,
            explanations=explanations,
            titles=titles,
            summaries=summaries,
            rebuilder=rebuilder,
            facts=facts,
            distiller=distiller,
            history_extraction=history_extraction,
            importer=importer,
            exporter=Exporter(memory=memory, clock=clock),
            reminders=Reminders(memory=memory, clock=clock),
            reminder_reader=ReminderReader(model=core.background, quota=quota),
            indexing=core.indexing,
            quota=quota,
            models=core.models,
            prices=dict(settings.model_prices),
            clock=clock,
            backups=set_up_backups(settings, memory, clock),
        )
        try:
            async with AsyncExitStack() as tasks:
                for task in make_periodic_task_contexts(core, services):
                    await tasks.enter_async_context(task)
                yield services
        finally:
            await quota.store_usage()
            if left := await services.conversation.flush_turns_and_count_unwritten():
                log.error("%d turns could not be written before the process ended", left)


async def open_core_resources(
    settings: Settings,
    stack: AsyncExitStack,
    memory: ExternalMemory,
    *,
    clock: Clock,
    models: tuple[ChatModel, ChatModel] | None,
    embedder: Embedder | None,
    commands: Mapping[str, str],
) -> Core:
    further = settings.openai_models if models is None else ()
    answers, summarizer = models or await open_answer_and_summary_models(settings, stack)
    choosable = {answers.name: answers}
    for name in further:
        if name != settings.openai_model:
            choosable[name] = await open_chat_model(name, settings, stack, setting_name="OPENAI_MODELS")
    precedence = Precedence()
    background = summarizer.for_background_work(precedence)
    tokenizer = Tokenizer.for_model(settings.openai_model)
    embedder = embedder or await open_embedder(settings, stack)
    quota = Quota(
        memory.usage,
        tokenizer=tokenizer,
        per_user=settings.daily_token_budget_per_user,
        overall=settings.daily_token_budget,
        clock=clock,
        serves=memory.serves,
        embedding_model=embedder.name if isinstance(embedder, EndpointEmbedder) else "",
    )
    indexing = None
    if embedder is not None:
        indexing = Indexer(memory=memory, embedder=embedder, charge=quota.charge_embedded_texts)
        await stack.enter_async_context(run_in_background(indexing.run_forever()))
    return Core(
        settings=settings,
        clock=clock,
        memory=memory,
        answers=answers,
        models=choosable,
        background=background,
        describers=[background] if summarizer is answers else [background, answers.for_background_work(precedence)],
        precedence=precedence,
        quota=quota,
        tokenizer=tokenizer,
        summary_tokenizer=Tokenizer.for_model(settings.summary_model),
        embedder=embedder,
        indexing=indexing,
        wake_indexer=indexing.wake if indexing else lambda: None,
        retrieval=MemoryRetrieval(
            tokenizer=tokenizer,
            budgets=make_budgets(settings),
            system_prompt=settings.system_prompt,
            clock=clock,
            charge=quota.charge_embedded_texts,
            embedder=embedder,
            embedding_timeout=settings.embedding_timeout,
            commands=commands,
        ),
    )


async def open_learning_services(
    core: Core, stack: AsyncExitStack
) -> tuple[Facts, ProfileDistiller, HistoryExtraction]:
    settings, memory, background, clock = core.settings, core.memory, core.background, core.clock
    get_window = partial(cap_at_model_limit, background, settings.max_context_tokens)
    requests = RequestBuilder(core.summary_tokenizer, get_window)
    facts = Facts(
        memory=memory,
        extractor=FactExtractor(model=background, requests=requests, quota=core.quota),
        requests=requests,
        clock=clock,
        settings=settings,
        charge=core.quota.charge_embedded_texts,
        embedder=core.embedder,
        backoff=Backoff(clock),
    )
    distiller = ProfileDistiller(
        memory=memory, model=background, requests=requests, quota=core.quota, clock=clock, settings=settings
    )
    history = HistoryExtraction(memory=memory, facts=facts, is_on=settings.learns_facts)
    if settings.learns_facts:
        await stack.enter_async_context(run_in_background(history.run_forever()))
    return facts, await stack.enter_async_context(distiller), history


def make_summary_manager(core: Core, facts: Facts) -> SummaryManager:
    settings = core.settings
    return SummaryManager(
        memory=core.memory,
        tokenizer=core.summary_tokenizer,
        get_limits=lambda: make_summary_limits(settings, cap_at_model_limit(core.answers, settings.max_context_tokens)),
        writer=SummaryWriter(
            summarizer=Summarizer(
                core.summary_tokenizer, partial(cap_at_model_limit, core.background, settings.max_context_tokens)
            ),
            model=core.background,
            quota=core.quota,
            fallback=ExtractiveSummarizer() if settings.summary_fallback == "extractive" else None,
        ),
        clock=core.clock,
        embedding_model=core.embedder.name if core.embedder else None,
        before_fold=facts.learn_before_fold,
    )


def make_importer(core: Core) -> Importer:
    days = core.settings.retention_days
    budget = make_summary_limits(core.settings, core.settings.max_context_tokens).chunk
    return Importer(
        memory=core.memory,
        archiver=Archiver(
            home=core.memory.open_store, tokenizer=core.summary_tokenizer, text_budget=budget, clock=core.clock
        ),
        clock=core.clock,
        wake_indexer=core.wake_indexer,
        retention=timedelta(days=days) if days else None,
    )


def make_conversation(
    core: Core,
    sessions: Sessions,
    explanations: Explanations,
    tools: MemoryTools,
    facts: Facts,
    distiller: ProfileDistiller,
    summaries: SummaryManager,
) -> Conversation:
    settings = core.settings
    describer = PictureDescriber(memory=core.memory, models=core.describers, quota=core.quota)
    return Conversation(
        memory=core.memory,
        sessions=sessions,
        answerer=Answerer(
            memory=core.memory,
            retrieval=core.retrieval,
            summaries=summaries,
            distiller=distiller,
            answer_loop=AnswerLoop(
                models=core.models,
                quota=core.quota,
                tokenizer=core.tokenizer,
                max_prompt_tokens=settings.max_context_tokens,
                clock=core.clock,
                tools=tools if settings.tools == "auto" else None,
            ),
            precedence=core.precedence,
            quota=core.quota,
            pressure=settings.pressure_percent / 100,
        ),
        explanations=explanations,
        follow_up=FollowUp(core.memory, sessions, summaries, facts, distiller, describer, core.wake_indexer),
        clock=core.clock,
        wake_indexer=core.wake_indexer,
    )


async def open_attachments(core: Core, stack: AsyncExitStack) -> Attachments:
    return Attachments(
        memory=core.memory,
        models=core.models,
        quota=core.quota,
        max_prompt_tokens=core.settings.max_context_tokens,
        vision=core.settings.vision,
        transcriber=await open_transcriber(core.settings, stack),
    )


def make_periodic_task_contexts(core: Core, services: Services) -> Sequence[AbstractAsyncContextManager[None]]:
    """Return context managers, each of which runs a periodic task until its block ends."""
    memory, corrections, days = core.memory, services.corrections, core.settings.retention_days
    look_for_endings = partial(warn_of_model_shutdowns, core.settings, services.clock)
    repeat = repeat_in_background
    tasks = [
        repeat("writing what is unwritten", services.conversation.flush_turns_and_count_unwritten, interval=5),
        repeat("writing what was used", core.quota.store_usage, interval=30),
        repeat("learning from paused chats", services.facts.learn_from_idle_scopes, interval=15),
        repeat("folding quiet chats", services.summaries.fold_idle_conversations, interval=60),
        repeat("forgetting deleted facts", corrections.forget_long_deleted_facts, interval=60),
        repeat("cleaning the files after a forgetting", memory.overwrite_erased_data, interval=60),
        repeat("looking for models that end", look_for_endings, interval=86_400, at_start=True),
    ]
    if memory.is_shared:
        tasks.append(repeat("reading whom admins let in", memory.people.load_people, interval=30))
    if services.backups is not None:
        backup = services.backups.make_daily_backup_if_due
        tasks.append(repeat("making the daily backup", backup, interval=600, at_start=True))
    if days:
        forget = partial(corrections.forget_old_archived_messages, timedelta(days=days))
        tasks.append(repeat("enforcing RETENTION_DAYS", forget, interval=3600, at_start=True))
    return tasks


async def open_answer_and_summary_models(settings: Settings, stack: AsyncExitStack) -> tuple[ChatModel, ChatModel]:
    """Return the answering model and the summarising model, which may be the same object."""
    answers = await open_chat_model(settings.openai_model, settings, stack)
    if settings.summary_model == settings.openai_model:
        return answers, answers
    return answers, await open_chat_model(settings.summary_model, settings, stack, setting_name="SUMMARY_MODEL")


async def open_chat_model(
    model_name: str, settings: Settings, stack: AsyncExitStack, *, setting_name: str = "OPENAI_MODEL"
) -> ChatModel:
    """Open a chat model at the configured endpoint. `setting_name` is the environment variable that names the model."""
    chat = OpenAIChat(
        model_setting=setting_name,
        vision=settings.vision,
        abilities=dict(settings.model_abilities).get(model_name, UNKNOWN),
        folder=settings.data_dir,
        **make_model_address(settings, model_name),
    )
    return await stack.enter_async_context(chat)


async def open_transcriber(settings: Settings, stack: AsyncExitStack) -> Transcriber | None:
    """Open the model that TRANSCRIPTION_MODEL names, or return None if it is not set."""
    if not settings.transcription_model:
        return None
    return await stack.enter_async_context(Transcriber(**make_model_address(settings, settings.transcription_model)))


async def open_speech_model(settings: Settings, stack: AsyncExitStack) -> SpeechModel | None:
    if not settings.speech_model:
        return None
    speaker = SpeechModel(voice=settings.speech_voice, **make_model_address(settings, settings.speech_model))
    return await stack.enter_async_context(speaker)


async def open_embedder(settings: Settings, stack: AsyncExitStack) -> Embedder | None:
    """Open the model that EMBEDDING_MODEL names, or return None if it is "none"."""
    embedder = make_embedder(settings)
    return await stack.enter_async_context(embedder) if embedder else None
