"""Two plain searches as baselines: BM25 over all messages, and the person's messages by meaning.

Whole messages are taken, best first, as `[date] speaker: text` lines. Those that do not fit the budget are skipped.
"""

from collections.abc import Collection, Iterable, Mapping

from llm import prompts
from llm.embeddings import Embedder
from records.messages import Message
from records.scopes import Scope
from storage.stores.memory_store import MemoryStore
from text.analyzer import list_content_terms
from text.tokenizer import Tokenizer

MAX_FOUND = 500  # messages that each search brings back


async def plain_searches(
    question: str,
    store: MemoryStore,
    scope: Scope,
    *,
    embedder: Embedder | None,
    budget: int,
    tokens: Tokenizer,
    talk: Collection[int] = (),
) -> Mapping[str, frozenset[int]]:
    """Return, by name of the search, the ids of the messages that fit the budget.

    The search by meaning needs an embedder. `talk`: ids of messages that a prompt carries anyway.
    """
    hits = await store.search_messages(scope, list_content_terms(question), limit=MAX_FOUND)
    found = {"words": _take_fitting((message for message in hits if message.id not in talk), budget, tokens)}
    if embedder is None:
        return found
    closeness = await store.vectors.measure_closeness(
        scope, embedder.name, await embedder.embed_query(question), MAX_FOUND
    )
    if closeness is not None:
        pool = await store.find_candidates(scope, [], limit=0, nearest=closeness.nearest)
        id_of = dict(zip(pool.seqs.tolist(), pool.ids.tolist(), strict=True))
        ids = [id_of[seq] for seq in closeness.nearest if seq in id_of and id_of[seq] not in talk]
        messages = {message.id: message for message in await store.read_messages(scope, ids) if message.role == "user"}
        found["meaning of the person's"] = _take_fitting(
            (messages[id_] for id_ in ids if id_ in messages), budget, tokens
        )
    return found


def _take_fitting(messages: Iterable[Message], budget: int, tokens: Tokenizer) -> frozenset[int]:
    taken = set[int]()
    for message in messages:
        said = f"[{prompts.format_date(message.created_at)}] {prompts.name_speaker(message)}: {message.content}\n"
        cost = tokens.count(said)
        if cost <= budget:
            budget -= cost
            taken.add(message.id)
    return frozenset(taken)
