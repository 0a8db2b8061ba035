"""Check every part of the setup, and print one line for each (--check)."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import assembly
from background.backups import create_backup_folder
from external_memory import ExternalMemory
from llm.embeddings import Embedder
from llm.local_embedder import LocalEmbedder
from llm.trial import describe_model, describe_model_shutdowns
from records.errors import (
    KeepsakeError,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    SettingsError,
    StorageCorrupt,
    StorageHeld,
    StorageTooNew,
    StorageTooOld,
)
from settings import Settings
from storage.engine.data_dir import check_disk_writable, lock_data_dir
from telegram_ui.updates.service import describe_bot


class CheckReporter:
    """Prints one line per check result, and records the highest exit status so far."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self.status = 0
        self._secrets = secrets

    def print_finding(self, part: str, line: str, *, words: str = "", exit_status: int = 0) -> None:
        """Print a line, followed by the endpoint's own `words`."""
        for secret in self._secrets:  # before the words are cut, because a part of a secret is secret too
            line, words = line.replace(secret, "***"), words.replace(secret, "***")
        said = f" The endpoint says: {words[:MAX_SHOWN_CHARS]}" if words else ""
        print(f"{part}: {line}{said}", flush=True)
        self.status = max(self.status, exit_status)

    async def run_check_and_report_result(self, part: str, check: Awaitable[str]) -> None:
        """Await a check and print its result, or the error that it raises."""
        try:
            self.print_finding(part, await check)
        except KeepsakeError as error:
            words = " ".join(error.words.split()) if isinstance(error, ModelError) else ""
            exit_status = 2 if isinstance(error, SETTINGS_ERRORS) else 1
            self.print_finding(part, error.sentence, words=words, exit_status=exit_status)


MAX_SHOWN_CHARS = 300  # characters of an endpoint's message that --check shows
# Errors that another attempt would not remove, with exit status 2.
SETTINGS_ERRORS = (SettingsError, ModelRefused, StorageHeld, StorageCorrupt, StorageTooNew, StorageTooOld)


async def check_configuration_and_get_exit_status(settings: Settings, warnings: Sequence[str] = ()) -> int:
    """Check each part of the setup, print the results and `warnings`, and return the exit status of the program."""
    findings = CheckReporter(settings.list_secrets())
    missing = map_missing_settings_to_errors(settings)
    known = "" if missing else "all values can be used."
    sentences = filter(None, (known, *(error.sentence for error in missing.values()), *warnings))
    findings.print_finding("settings", " ".join(sentences), exit_status=2 if missing else 0)
    if "TELEGRAM_BOT_TOKEN" in missing:
        findings.print_finding("telegram", "not asked, since there is no token")
    else:
        await findings.run_check_and_report_result("telegram", describe_bot(settings))
    await findings.run_check_and_report_result("storage", _describe_storage(settings))
    if settings.backup_dir is not None:
        await findings.run_check_and_report_result("backups", _describe_backups(settings.backup_dir))
    async with AsyncExitStack() as stack:
        if "OPENAI_API_KEY" in missing:
            findings.print_finding("model", "not asked, since nothing says which endpoint to ask")
        else:
            answers, summarizer = await assembly.open_answer_and_summary_models(settings, stack)
            for model in dict.fromkeys((answers, summarizer)):
                tools = model is answers and settings.tools == "auto"
                await findings.run_check_and_report_result(
                    "model", describe_model(model, probes_tools=tools, probes_schema=model is summarizer)
                )
            for sentence in await describe_model_shutdowns(settings, assembly.utc_now().date()):
                findings.print_finding("warning", sentence)
            for name in settings.openai_models:
                if name == settings.openai_model:
                    continue
                model = await assembly.open_chat_model(name, settings, stack, setting_name="OPENAI_MODELS")
                await findings.run_check_and_report_result("model", model.probe_and_describe())
            if transcriber := await assembly.open_transcriber(settings, stack):
                await findings.run_check_and_report_result("transcription", transcriber.probe_and_describe())
            if speaker := await assembly.open_speech_model(settings, stack):
                await findings.run_check_and_report_result("speech", speaker.probe_and_describe())
        if settings.embedding_model in ("local", "none") or "OPENAI_API_KEY" not in missing:
            embedder = await assembly.open_embedder(settings, stack)
            await findings.run_check_and_report_result("embeddings", _describe_embeddings(embedder))
    return findings.status


def map_missing_settings_to_errors(settings: Settings) -> dict[str, SettingsError]:
    """Return an error for each required setting that is not set, keyed by the setting's name."""
    missing = list[SettingsError]()
    if not settings.telegram_bot_token:
        how = "is not set. Get one from @BotFather, or run python bot.py --playground to try the bot without one."
        missing.append(SettingsError("TELEGRAM_BOT_TOKEN", how))
    if not settings.openai_api_key and not settings.openai_base_url:
        how = "is not set. Set it, or OPENAI_BASE_URL for a server that needs no key (Ollama, llama.cpp)."
        missing.append(SettingsError("OPENAI_API_KEY", how))
    return {error.variable: error for error in missing}


async def _describe_storage(settings: Settings) -> str:
    url = settings.database_url.value
    try:
        with lock_data_dir(settings.data_dir):
            outdated = await asyncio.to_thread(ExternalMemory.list_outdated_databases, settings.data_dir, url)
        if outdated:  # only the bot may migrate them: another version may still run
            return f"the next start brings {' and '.join(outdated)} to the format of this version"
        async with ExternalMemory.open(settings.data_dir, clock=assembly.utc_now, database_url=url):
            server = "; PostgreSQL answers, and has its tables" if url else ""
            return f"{settings.data_dir} can be read and written{server}"
    except StorageHeld:
        await asyncio.to_thread(check_disk_writable, settings.data_dir)
        return f"{settings.data_dir} can be read and written; a running bot has it, which goes on undisturbed"


async def _describe_backups(folder: Path) -> str:
    create_backup_folder(folder)
    return f"{folder} can be written"


async def _describe_embeddings(embedder: Embedder | None) -> str:
    if embedder is None:
        return "none, search by words alone"
    try:
        await embedder.embed_query("Is anybody there?")
    except ModelUnreachable as error:
        if not isinstance(embedder, LocalEmbedder):
            raise
        return f"none, search by words alone: {error.sentence}"  # as on a machine for which there is no local model
    return f"{embedder.name} answers"
