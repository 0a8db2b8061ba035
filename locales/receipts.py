"""Sentences about the result of /forget and /summary_now."""

from locales.catalog import tr
from locales.lists import join_list
from records.forgetting import Forgotten, Remainder
from records.summaries import FoldOutcome


def format_counts(forgotten: Forgotten) -> str:
    """Format counts in words: "2 messages, 1 summary"."""
    parts = [
        forgotten.messages and tr("shared-messages", messages=forgotten.messages),
        forgotten.summaries and tr("shared-summaries", summaries=forgotten.summaries),
        forgotten.facts and tr("shared-facts", facts=forgotten.facts),
        forgotten.profiles and tr("forget-profiles", profiles=forgotten.profiles),
        forgotten.versions and tr("forget-versions", versions=forgotten.versions),
        forgotten.reminders and tr("forget-reminders", reminders=forgotten.reminders),
    ]
    return join_list(part for part in parts if part)


def format_quoting(remainder: Remainder) -> str:
    """Format the number of later items that quote erased messages: "3 later answers, 1 fact"."""
    answers = len(remainder.answers)
    parts = [
        answers and tr("forget-answers", answers=answers),
        remainder.facts and tr("shared-facts", facts=remainder.facts),
        remainder.summaries and tr("shared-summaries", summaries=remainder.summaries),
        remainder.profiles and tr("forget-profiles", profiles=remainder.profiles),
    ]
    return join_list(part for part in parts if part)


def format_receipt(forgotten: Forgotten) -> str:
    """Format the receipt of /forget: what was erased, and what may still hold it."""
    remainder = forgotten.remainder
    stays = [format_quoting(remainder), remainder.others and tr("shared-messages", messages=remainder.others)]
    left = join_list(part for part in stays if part)
    rest = [tr("forget-words-stay", what=left)] if left else []
    rest += [tr("forget-words-may-stay")] if not remainder.others and not remainder.is_complete else []
    rest += [tr("forget-traces")] if not forgotten.is_clean else []
    aside = [tr("forget-kept-aside", names=join_list(forgotten.kept_aside))] if forgotten.kept_aside else []
    receipt = " ".join([tr("forget-receipt", what=format_counts(forgotten)), *(rest or [tr("forget-clean")])])
    return "\n".join([receipt, tr("forget-not-in-my-power"), *aside])


def format_outcome(outcome: FoldOutcome) -> str:
    """Format the result of /summary_now."""
    match outcome.state:
        case "folded":
            return tr("summaries-folded", summaries=len(outcome.summaries))
        case "nothing":
            return tr("summaries-nothing")
        case "busy":
            return tr("summaries-busy")
        case "waiting" | "failed":
            return tr("summaries-failed", why=outcome.error or tr("summaries-not-made"))
