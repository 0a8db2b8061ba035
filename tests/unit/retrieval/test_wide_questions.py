"""Questions about orders, counts and whole stories are recognised by meaning, even in languages without examples."""

from llm.local_embedder import LocalEmbedder
from retrieval.question import NARROW, WIDE, needs_several_searches

WIDE_ONES = (
    "In what order did I bring up the different parts of the garden project?",
    "How often have I been to the dentist this year?",
    "Wie oft war ich dieses Jahr beim Zahnarzt?",
    "Fasse zusammen, wie sich mein Hausbau über das Jahr entwickelt hat.",
    "В каком порядке я рассказывал о своих поездках?",
    "¿Cuántas veces he cambiado de trabajo?",
    "How often did I see the doctor?",
    "Сколько раз я был у врача?",
    "我看过几次医生?",
    "How did my opinion on remote work change over time?",
)
NARROW_ONES = (
    "What was the name of the plumber?",
    "Wo habe ich den Ersatzschlüssel hingelegt?",
    "Когда у меня приём у врача?",
    "¿Qué restaurante le gustó a Marta?",
    "Thanks! And what should I cook tonight?",
    "How many litres are in a gallon?",
    "Wie viele Einwohner hat Wien?",
    "一公里有多少米?",
)


async def test_recognizes_wide_and_narrow_questions() -> None:
    async with LocalEmbedder() as embedder:
        examples = await embedder.embed_passages([*WIDE, *NARROW])
        wide = [needs_several_searches(await embedder.embed_query(question), examples) for question in WIDE_ONES]
        narrow = [needs_several_searches(await embedder.embed_query(question), examples) for question in NARROW_ONES]
    assert sum(wide) >= len(wide) - 1
    assert sum(narrow) == 0
