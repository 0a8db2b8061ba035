"""What Telegram's errors mean for the sender: how long to wait, whether to send it differently, or to give up."""

from datetime import timedelta

from telegram.error import NetworkError, RetryAfter, TelegramError

from telegram_ui.sending.http import was_never_sent


def seconds(refused: RetryAfter) -> float:
    after = refused.retry_after
    return after.total_seconds() if isinstance(after, timedelta) else float(after)


def says(error: TelegramError, *phrases: str) -> bool:
    return any(phrase in error.message.lower() for phrase in phrases)


def is_about_entities(error: TelegramError) -> bool:
    return says(error, "can't parse", "can't find end", "entit", "unsupported url", "wrong http url")


def kind(error: TelegramError) -> str:
    """What a log may name: never the message, which may quote the text."""
    return type(error).__name__


def surely_without_effect(error: TelegramError) -> bool:
    """Whether a request was never sent, or was answered by an error."""
    cause = error.__cause__
    if cause is None or isinstance(cause, TelegramError):
        return isinstance(error, NetworkError)  # a status of 500 and above, whatever its body
    return was_never_sent(error)
