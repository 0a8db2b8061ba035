"""open_services(): the one place where the parts are wired. Knows no Telegram."""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from attachments.documents import DocumentReader
from background.indexing import Indexing
from background.rebuild import Rebuilder
from background.scheduler import ScheduledTask, Scheduler
from chat.answer_loop import AnswerLoop
from chat.attachments import Attachments
from chat.conversation import Conversation
from chat.corrections import Corrections
from chat.explanations import Explanations
from chat.pictures import Describer
from chat.search import MemorySearch
from chat.services import Services
from chat.session import Sessions
from chat.speech import Speech
from chat.titles import Titles
from chat.tools import MemoryTools
from external_memory import ExternalMemory
from facts.distillation import ProfileDistiller, ProfileSettings
from facts.extractor import Backoff, FactExtractor
from facts.history_extraction import HistoryExtraction
from facts.learning import Facts, FactSettings
from facts.requests import Requests
from llm.chat_model import ChatModel, prompt_room
from llm.embeddings import Embedder, EndpointEmbedder, embedder_for
from llm.offline import ExtractiveSummarizer, OfflineModel
from llm.openai_api import OpenAIChat
from llm.precedence import BackgroundModel, Precedence
from llm.quota import Quota, charge_nobody
from llm.server_info import OLLAMA, ollama_model
from llm.speech import Speaker, Transcriber
from memory_retrieval import MemoryRetrieval
from records.errors import SettingsError
from records.model_calls import UNKNOWN
from records.scopes import Clock
from reminders.reading import WishReader
from reminders.sending import Reminders
from retrieval.budgets import Budgets
from retrieval.fact_ranking import FactRecall
from settings import Settings
from summaries.generation import Summariser
from summary_manager import FoldLimits, SummaryManager
from text.tokenizer import Tokenizer
from transfer.archiver import Archiver
from transfer.exporter import Exporter
from transfer.importer import Importer

log = logging.getLogger(__name__)

SUMMARY_HEADER = 32
"""Tokens that the prompt spends around one summary's text: level, dates, number of messages."""
LEAST_SUMMARY = 40
LOOK_FOR_PAUSE = 15.0
"""Seconds between two checks for scopes in which the talk has paused."""
LONGEST_QUIET = 60 * 24 * 366
"""Minutes; more would not be a valid date."""
LOOK_FOR_QUIET = 60.0
"""Seconds between two checks for scopes that have been quiet for IDLE_FOLD_MINUTES."""
CLEANING = 60.0
"""Seconds between two attempts to clean files that another program was reading."""
LOOK_FOR_OLD = 3600.0
"""Seconds between two checks for archives older than RETENTION_DAYS."""
WRITE_USE = 30.0
"""Seconds between two writes of the tokens that were used, where no budget is set."""
READ_PEOPLE = 30.0
"""Seconds between two readings of whom admins let in, where another process may have been told."""
RETRY_WRITES = 5.0
"""Seconds between two attempts to write what a failing store did not take."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def budgets(settings: Settings) -> Budgets:
    return Budgets(
        ceiling=settings.max_context_tokens,
        system=settings.system_budget,
        summaries=settings.summary_budget,
        recent=settings.recent_budget,
        snippets=settings.snippet_budget,
    )


def summary_text_budget(settings: Settings, ceiling: int | None = None) -> int:
    """Tokens of one summary's text, so that ten of them with their headers fit their part of the prompt."""
    part = budgets(settings).under(ceiling or settings.max_context_tokens).summaries
    return max(LEAST_SUMMARY, part // 10 - SUMMARY_HEADER)


def fold_limits(settings: Settings, ceiling: int) -> FoldLimits:
    """`ceiling`: of the prompts that the summaries will be in."""
    part = budgets(settings).under(ceiling)
    quiet = settings.idle_fold_minutes
    return FoldLimits(
        chunk=summary_text_budget(settings, ceiling),
        # One live summary with its header fits the summaries' part.
        live=max(LEAST_SUMMARY, min(settings.rolling_summary_tokens, part.summaries - SUMMARY_HEADER)),
        recent=part.recent,
        quiet=timedelta(minutes=min(quiet, LONGEST_QUIET)) if quiet else None,
    )


def demand_endpoint(settings: Settings) -> None:
    """Raises SettingsError when nothing says which model endpoint to ask."""
    if not settings.openai_api_key and not settings.openai_base_url:
        raise SettingsError(
            "OPENAI_API_KEY",
            "is not set. Set it, or OPENAI_BASE_URL for a server that needs no key (Ollama, llama.cpp).",
        )


@asynccontextmanager
async def open_services(
    settings: Settings,
    *,
    clock: Clock = utc_now,
    offline: bool = False,
    models: tuple[ChatModel, ChatModel] | None = None,
    embedder: Embedder | None = None,
) -> AsyncIterator[Services]:
    """Every part, open; they are closed in order at the end.

    `offline`: answer and summarise without any endpoint. Benchmarks give their own `models` (one that answers, one that
    summarises) and their own open `embedder` instead of those that the settings name. Raises SettingsError and
    StorageError.
    """
    async with AsyncExitStack() as stack:
        memory = await stack.enter_async_context(
            ExternalMemory.open(settings.data_dir, clock=clock, database_url=settings.database_url.value)
        )
        others: dict[str, ChatModel] = {}
        if models is None and not offline:
            models = await open_models(settings, stack)
            for name in further_models(settings):
                others[name] = await opened(name, settings, stack, setting="OPENAI_MODELS")
        answers, summariser = models or (OfflineModel(), ExtractiveSummarizer())
        precedence = Precedence()
        background = BackgroundModel(summariser, precedence)
        tokenizer = Tokenizer.for_model(settings.openai_model)
        summary_tokenizer = Tokenizer.for_model(settings.summary_model)

        async def chosen_model(owner: int) -> ChatModel:
            config = await memory.config(owner)
            return others.get(config.model, answers) if config is not None else answers

        quota = Quota(
            memory.usage,
            tokenizer=tokenizer,
            per_user=settings.daily_token_budget_per_user,
            overall=settings.daily_token_budget,
            clock=clock,
            others_spend=memory.is_shared,
            embedding_model=settings.embedding_model,
        )
        if embedder is None:
            embedder = await open_embedder(settings, stack, offline=offline)
        # A model on this machine costs no tokens; an endpoint's are the owner's to spend.
        charge = quota.charge if isinstance(embedder, EndpointEmbedder) else charge_nobody
        indexing: Indexing | None = None
        if embedder is not None:
            indexing = Indexing(memory=memory, embedder=embedder, charge=charge)
            await stack.enter_async_context(indexing)
        retrieval = MemoryRetrieval(
            tokenizer=tokenizer,
            budgets=budgets(settings),
            system_prompt=settings.system_prompt,
            clock=clock,
            charge=charge,
            embedder=embedder,
            facts=FactRecall(top=settings.facts_top_k, min_similarity=settings.fact_min_similarity),
        )
        requests = Requests(summary_tokenizer, settings.max_context_tokens, under=partial(prompt_room, background))
        facts = Facts(
            memory=memory,
            extractor=FactExtractor(model=background, requests=requests, quota=quota),
            requests=requests,
            clock=clock,
            settings=FactSettings(
                is_on=settings.facts == "on",
                batch_turns=settings.facts_batch_turns,
                quiet=timedelta(seconds=settings.facts_quiet_seconds),
                duplicate_distance=settings.fact_duplicate_distance,
            ),
            charge=charge,
            embedder=embedder,
            backoff=Backoff(clock),
        )
        distiller = ProfileDistiller(
            memory=memory,
            model=background,
            requests=requests,
            budget=quota,
            clock=clock,
            settings=ProfileSettings(
                is_on=settings.facts == "on",
                every=settings.profile_every_summaries,
                keep=settings.profile_keep_summaries,
            ),
        )
        await stack.enter_async_context(distiller)
        history_extraction = HistoryExtraction(memory=memory, facts=facts, is_on=settings.facts == "on")
        await stack.enter_async_context(history_extraction)
        summaries = SummaryManager(
            memory=memory,
            model=background,
            tokenizer=summary_tokenizer,
            limits_now=lambda: fold_limits(settings, prompt_room(answers, settings.max_context_tokens)),
            summariser=Summariser(
                tokenizer=summary_tokenizer,
                window=settings.max_context_tokens,
                under=partial(prompt_room, background),
            ),
            budget=quota,
            clock=clock,
            fallback=ExtractiveSummarizer() if settings.summary_fallback == "extractive" else None,
            embedding_model=embedder.name if embedder else None,
            before_fold=facts.before_fold,
        )
        rebuilder = Rebuilder(memory=memory, summaries=summaries, stand_in=ExtractiveSummarizer(), clock=clock)
        await stack.enter_async_context(rebuilder)
        archiver = Archiver(
            home=memory.home,
            tokenizer=summary_tokenizer,
            text_budget=summary_text_budget(settings),
            clock=clock,
        )
        search = MemorySearch(memory=memory, retrieval=retrieval)
        learned = facts if settings.facts == "on" else None
        tools = MemoryTools(search=search, facts=learned, tokenizer=tokenizer, clock=clock)
        sessions, explanations = Sessions(), Explanations(memory)
        titles = await stack.enter_async_context(Titles(memory=memory, model=background, quota=quota, clock=clock))
        stored = indexing.wake if indexing else lambda: None
        corrections = Corrections(
            memory=memory, sessions=sessions, explanations=explanations, quota=quota, clock=clock, stored=stored
        )
        conversation = Conversation(
            memory=memory,
            sessions=sessions,
            retrieval=retrieval,
            precedence=precedence,
            answer_loop=AnswerLoop(
                model=answers,
                others=others,
                quota=quota,
                tokenizer=tokenizer,
                ceiling=settings.max_context_tokens,
                clock=clock,
                tools=tools if settings.tools == "auto" else None,
            ),
            explanations=explanations,
            summaries=summaries,
            facts=facts,
            distiller=distiller,
            describer=Describer(
                memory=memory,
                models=[background] if summariser is answers else [background, BackgroundModel(answers, precedence)],
                quota=quota,
            ),
            quota=quota,
            clock=clock,
            stored=stored,
            pressure=settings.pressure_percent / 100,
        )
        memory.on_gain += [corrections.taken_over, rebuilder.taken_over]
        speaker = await open_speaker(settings, stack, offline=offline)
        services = Services(
            memory=memory,
            conversation=conversation,
            corrections=corrections,
            attachments=Attachments(
                documents=DocumentReader(),
                model=answers,
                quota=quota,
                ceiling=settings.max_context_tokens,
                vision=settings.vision,
                chosen=chosen_model,
                transcriber=await open_transcriber(settings, stack, offline=offline),
            ),
            speech=Speech(speaker=speaker, quota=quota) if speaker is not None else None,
            retrieval=retrieval,
            search=search,
            tools=tools,
            explanations=explanations,
            titles=titles,
            summaries=summaries,
            rebuilder=rebuilder,
            facts=facts,
            distiller=distiller,
            history_extraction=history_extraction,
            importer=Importer(
                memory=memory,
                archiver=archiver,
                clock=clock,
                stored=stored,
                retention=timedelta(days=settings.retention_days) if settings.retention_days else None,
            ),
            exporter=Exporter(memory=memory, clock=clock),
            reminders=Reminders(memory=memory, clock=clock),
            wish_reader=WishReader(model=background, quota=quota),
            indexing=indexing,
            quota=quota,
            models={answers.name: answers, **others},
            ceiling=settings.max_context_tokens,
            prices=dict(settings.model_prices),
            clock=clock,
        )
        scheduled = [
            ScheduledTask(name="writing what is unwritten", work=conversation.write_unwritten, every=RETRY_WRITES),
            ScheduledTask(name="writing what was used", work=quota.write, every=WRITE_USE),
            ScheduledTask(name="learning from paused chats", work=facts.settle_quiet, every=LOOK_FOR_PAUSE),
            ScheduledTask(name="folding quiet chats", work=summaries.fold_quiet, every=LOOK_FOR_QUIET),
            ScheduledTask(name="forgetting deleted facts", work=corrections.forget_deleted, every=CLEANING),
            ScheduledTask(name="cleaning the files after a forgetting", work=memory.clean_files, every=CLEANING),
        ]
        if memory.is_shared:
            scheduled.append(
                ScheduledTask(name="reading whom admins let in", work=memory.people.load, every=READ_PEOPLE)
            )
        if settings.retention_days:
            work = partial(corrections.forget_archives, timedelta(days=settings.retention_days))
            scheduled.append(
                ScheduledTask(name="enforcing RETENTION_DAYS", work=work, every=LOOK_FOR_OLD, at_start=True)
            )
        try:
            async with Scheduler(scheduled):
                yield services
        finally:
            await quota.write()
            if left := await conversation.write_unwritten():
                log.error("%d turns could not be written before the process ended", left)


async def open_models(settings: Settings, stack: AsyncExitStack) -> tuple[ChatModel, ChatModel]:
    """The model that answers and the one that summarises; the same object where the settings name one model."""

    answers = await opened(settings.openai_model, settings, stack)
    if settings.summary_model == settings.openai_model:
        return answers, answers
    return answers, await opened(settings.summary_model, settings, stack, setting="SUMMARY_MODEL")


async def opened(model: str, settings: Settings, stack: AsyncExitStack, *, setting: str = "OPENAI_MODEL") -> ChatModel:
    """A chat model at the endpoint of the settings. `setting`: the variable that names it."""
    return await stack.enter_async_context(
        OpenAIChat(
            model=model,
            api_key=settings.openai_api_key,
            base_url=settings.openai_base_url,
            timeout=settings.model_timeout,
            model_setting=setting,
            vision=settings.vision,
            abilities=dict(settings.model_abilities).get(model, UNKNOWN),
        )
    )


def further_models(settings: Settings) -> list[str]:
    """The models besides the usual one that may answer."""
    return [name for name in settings.openai_models if name != settings.openai_model]


async def open_transcriber(settings: Settings, stack: AsyncExitStack, *, offline: bool = False) -> Transcriber | None:
    """The model that TRANSCRIPTION_MODEL names, at the endpoint that answers; None: voice messages are not heard."""
    if offline or not settings.transcription_model:
        return None
    return await stack.enter_async_context(
        Transcriber(
            model=settings.transcription_model,
            api_key=settings.openai_api_key,
            base_url=settings.openai_base_url,
            timeout=settings.model_timeout,
        )
    )


async def open_speaker(settings: Settings, stack: AsyncExitStack, *, offline: bool = False) -> Speaker | None:
    """The model that SPEECH_MODEL names, at the endpoint that answers; None: nothing is spoken."""
    if offline or not settings.speech_model:
        return None
    return await stack.enter_async_context(
        Speaker(
            model=settings.speech_model,
            voice=settings.speech_voice,
            api_key=settings.openai_api_key,
            base_url=settings.openai_base_url,
            timeout=settings.model_timeout,
        )
    )


async def open_embedder(settings: Settings, stack: AsyncExitStack, *, offline: bool = False) -> Embedder | None:
    """The model that EMBEDDING_MODEL names; None: search by words alone.

    `offline`: a model of an endpoint is used only where EMBEDDING_BASE_URL names one.
    """
    if offline and settings.embedding_model != "local" and not settings.embedding_base_url:
        return None
    embedder = embedder_for(settings)
    return await stack.enter_async_context(embedder) if embedder else None


async def playground_model(settings: Settings) -> tuple[Settings, str, bool]:
    """What answers in the playground: the endpoint that is set, else Ollama on this machine, else the offline model.

    Gives the settings to use, the name that people read, and whether it is the offline model.
    """
    if settings.openai_api_key or settings.openai_base_url:
        return settings, settings.openai_model, False
    if model := await ollama_model():
        found = replace(settings, openai_base_url=OLLAMA, openai_model=model, summary_model=model)
        return found, f"{model} (Ollama on this machine)", False
    return settings, "the offline model (it only quotes what it remembers)", True
