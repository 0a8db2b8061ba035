"""Two plain searches as baselines: BM25 over all messages, and vector search over the person's messages.

Each fills a token budget with whole messages, best first, as `[date] speaker: text` lines. A message that does not fit
is skipped.
"""

from collections.abc import Collection, Iterable, Mapping

from llm import prompts
from llm.embeddings import Embedder
from records.messages import Message
from records.scopes import Scope
from storage.stores.memory_store import MemoryStore
from text.analyzer import list_distinct_search_terms
from text.tokenizer import Tokenizer

MAX_FOUND = 500  # results of each search


async def find_ids_by_search_method(
    question: str,
    store: MemoryStore,
    scope: Scope,
    *,
    embedder: Embedder | None,
    budget: int,
    tokenizer: Tokenizer,
    excluded_ids: Collection[int] = (),
) -> Mapping[str, frozenset[int]]:
    """Run a word search and a vector search. Return the ids of the messages that fit the budget, keyed by search.

    Without an embedder, skip the vector search. `excluded_ids` are messages that the prompt already contains.
    """
    hits = await store.search_messages(scope, list_distinct_search_terms(question), limit=MAX_FOUND)
    found = {
        "words": _select_fitting_ids((message for message in hits if message.id not in excluded_ids), budget, tokenizer)
    }
    if embedder is None:
        return found
    closeness = await store.vectors.compute_similarities(
        scope, embedder.name, await embedder.embed_query(question), MAX_FOUND
    )
    nearest = closeness.nearest if closeness is not None else []
    pool = await store.find_candidate_messages(scope, [], limit=0, nearest_seqs=nearest)
    id_of = dict(zip(pool.seqs.tolist(), pool.ids.tolist(), strict=True))
    ids = [id_of[seq] for seq in nearest if seq in id_of and id_of[seq] not in excluded_ids]
    messages = {message.id: message for message in await store.read_messages(scope, ids) if message.role == "user"}
    found["meaning of the person's"] = _select_fitting_ids(
        (messages[id_] for id_ in ids if id_ in messages), budget, tokenizer
    )
    return found


def _select_fitting_ids(messages: Iterable[Message], budget: int, tokenizer: Tokenizer) -> frozenset[int]:
    """Return the ids of the messages that fit the budget of tokens, in the given order."""
    selected = set[int]()
    for message in messages:
        said = f"[{message.created_at.date()}] {prompts.get_speaker_name(message)}: {message.content}\n"
        cost = tokenizer.count(said)
        if cost <= budget:
            budget -= cost
            selected.add(message.id)
    return frozenset(selected)
