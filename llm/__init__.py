"""Chat and embedding models behind protocols, what they are asked, and what they may cost. Does not know stores.

chat_model.py        what a chat model is to those who ask it
context_size.py      how many tokens a model's context has, for --check
embeddings.py        texts as vectors of meaning, in the process or by an endpoint
endpoint.py          client, errors and retries of every call to an endpoint
event_stream.py      server-sent events, read as they come
measured.py          what is counted of the calls to a model
offline.py           no network, no key: answers by quoting, summarises by extraction
offline_facts.py     the facts that a text states outright, by pattern
ollama.py            finds an Ollama on this machine, for the playground
openai_api.py        chat completions of any OpenAI-compatible endpoint
partial_answer.py    one answer as it arrives: what of it may be shown, and when it is whole
pictures.py          how endpoints refuse pictures
precedence.py        answers go first: background requests wait, and give way
prompt_sentences.py  a prompt as the sentences that it remembers, for the offline model
prompts.py           every instruction given to a model, and how memory is quoted
quota.py             what each call costs whom, and the day's token budgets
speech.py            text → speech
text_calls.py        calls of tools that a model wrote as text
tool_calls.py        tools on the wire: offered, called, answered
transcription.py     recordings → the words in them
transport.py         one request for an answer, its bytes as they come
trial.py             what a model can do, for --check
window.py            how much a model takes in one request, as its endpoint has told
"""
