"""Chat and embedding models behind protocols, what they are asked, and what they may cost. Does not know stores.

call_figures.py      seconds, tokens and failures of calls, as metrics
chat_model.py        what a chat model is to those who ask it
embeddings.py        texts as vectors of meaning: the protocol, and embeddings by an endpoint
endpoint.py          patience and retries of every call to an endpoint
event_reader.py      an answer's objects out of the bytes of its body
failures.py          what a call may end in, and how a refusal is read
ladder.py            what a request leaves out after a refusal, step by step, and for how long
local_embedder.py    texts as vectors by the model that ships with the install, in a process of its own
local_embedder_child.py what runs in that process
meant_json.py        JSON as its author meant it, repaired
offline.py           no network, no key: answers by quoting, summarises by extraction, facts by pattern
openai_api.py        chat completions of any OpenAI-compatible endpoint
openai_client.py     the openai SDK's client, its bodies bounded and its errors as ours
partial_answer.py    one answer as it arrives: what of it may be shown, and when it is whole
precedence.py        answers go first: background requests wait, and give way
prompt_cache.py      breakpoints and keys of OpenAI's explicit prompt caching
prompts.py           every instruction given to a model, and the lines in which memory is told
quoting.py           text in a prompt as data: our tags in it are defused
quota.py             what each call costs whom, and the day's token budgets
speech.py            text → speech, and recordings → the words in them
text_calls.py        calls of tools that a model wrote as text
thoughts.py          a model's text without its thoughts, whatever their marks
tool_calls.py        tools on the wire: offered, called, answered
trial.py             what a model can do, and when it ends
window.py            how long a prompt may be, as operator and refusals say
"""
