"""Lets people add, edit, pin, delete and restore facts. Callers must check permissions and handle StorageError."""

from chat.services import Services
from locales.catalog import tr
from locales.sentences import format_erasures
from records.errors import ErrorText, FactsFull
from records.facts import MAX_FACT_CHARS, MAX_FACTS, Fact
from records.forgetting import ForgetRequest, ForgetResult
from text.characters import remove_invisible_characters

FACT_ACTIONS = ("pin", "unpin", "keep", "both", "delete", "undo")


async def add_fact(services: Services, owner: int, text: str) -> Fact | ErrorText:
    """Add a fact and return it, or return a sentence that explains why it cannot be added."""
    text = " ".join(remove_invisible_characters(text).split())
    if refusal := await _explain_refusal(services, owner, text):
        return refusal
    if await services.memory.get_config(owner) is None:
        return tr("summaries-not-configured")
    try:
        fact, _ = await services.facts.add_fact_unless_known(owner, text)
    except FactsFull:
        return tr("memory-full", most=MAX_FACTS)
    return fact


async def edit_fact(
    services: Services, owner: int, fact_id: int, text: str, *, keeps_old_fact: bool
) -> ErrorText | None:
    """Replace a fact's text. Return an error sentence on failure. If `keeps_old_fact`, the old text becomes history."""
    text = " ".join(remove_invisible_characters(text).split())
    if refusal := await _explain_refusal(services, owner, text):
        return refusal
    facts = services.facts
    made = await (facts.supersede_fact(owner, fact_id, text) if keeps_old_fact else facts.edit(owner, fact_id, text))
    return None if made is not None else tr("memory-no-such-fact", id=str(fact_id))


async def change_fact_and_report(services: Services, owner: int, action: str, fact_id: int) -> str:
    """Apply one of FACT_ACTIONS to a fact, and return a sentence about the result."""
    fact, changed, now = None, None, services.clock()
    async with services.memory.open_store(owner) as store:
        match action:
            case "pin" | "unpin":  # a pinned fact is in every prompt
                fact = await store.facts.pin_fact(owner, fact_id, is_pinned=action == "pin", now=now)
            case "keep":
                fact = await store.facts.convert_fact_to_instruction(owner, fact_id, now=now)
            case "both":  # a fact and what it replaced are true: two children, two jobs
                fact = await store.facts.keep_with_superseded_facts(owner, fact_id, now=now)
                known = await store.facts.find_fact(owner, fact_id)
                if fact is None and known is not None and known.is_valid:  # the button of an old list
                    return tr("memory-unchanged", text=known.text)
            case "delete":  # which can be undone for a day
                fact = await store.facts.delete_fact(owner, fact_id, now=now)
            case "undo":
                changed = await store.facts.find_fact(owner, fact_id)
                if changed is not None and changed.deleted_at is not None:
                    # It may have been said again since.
                    same = (each for each in await store.facts.list_valid_facts(owner) if each.text == changed.text)
                    fact = next(same, None) or await store.facts.restore_fact(owner, fact_id, now=now)
                    changed = None
    if changed is not None:
        return format_undo_result(await _undo_edit_or_restore_replaced_fact(services, owner, changed))
    return tr(f"memory-done-{action}", text=fact.text) if fact else tr("memory-no-such-fact", id=str(fact_id))


async def _undo_edit_or_restore_replaced_fact(services: Services, owner: int, fact: Fact) -> ForgetResult | None:
    """Undo the last edit of a fact, or restore the fact that it replaced. Return None if neither exists."""
    undone_edit = await services.corrections.undo_fact_edit(owner, fact.id)
    if undone_edit is not None or fact.origin != "owner":
        return undone_edit
    async with services.memory.open_store(owner) as store:
        has_replaced = await store.facts.restore_superseded_facts_if_any(owner, fact.id)
    forgetting = ForgetRequest(what="facts", ids=(fact.id,))
    return await services.corrections.forget(owner, forgetting) if has_replaced else None


async def _explain_refusal(services: Services, owner: int, text: str) -> str:
    """Return the reason why a fact with this text may not be stored, or ""."""
    if not text:
        return tr("memory-usage")
    if len(text) > MAX_FACT_CHARS:
        return tr("shared-too-long", most=MAX_FACT_CHARS, length=len(text))
    config = await services.memory.get_config(owner)
    return tr("memory-incognito-on") if config is not None and config.incognito else ""


def format_undo_result(forget_result: ForgetResult | None) -> str:
    if forget_result is None:
        return tr("memory-nothing-to-undo")
    derived = format_erasures(ForgetResult(facts=forget_result.facts, profiles=forget_result.profiles))
    told = tr("memory-undone-derived", what=derived) if derived else tr("memory-undone")
    return told if forget_result.is_clean else f"{told} {tr('forget-traces')}"
