"""Chat, embedding and speech models behind protocols, their prompts and their token budgets.

chat_model.py           the interface of a chat model
embeddings.py           the interface of an embedder, and embeddings by an endpoint
endpoint.py             timeouts, retries and metrics of calls to an endpoint
event_reader.py         parses a response body of server-sent events or JSON
failures.py             errors of a call, and how a refusal is classified
ladder.py               what a request leaves out after a refusal, and how long a prompt may be
local_embedder.py       embeddings by the bundled model
local_embedder_child.py the child process that runs the bundled model
meant_json.py           parses JSON that needs repair
offline.py              an extractive model for use without a network or key
openai_api.py           chat completions of any OpenAI-compatible endpoint
openai_client.py        wraps the openai SDK, with size limits and our own errors
partial_answer.py       an answer while it arrives
precedence.py           lets answers go before background requests
prompt_cache.py         OpenAI's explicit prompt caching
prompts.py              instructions for models, and the format of remembered text
quota.py                token usage and daily budgets
quoting.py              quotes text in prompts so that it cannot imitate our tags
speech.py               text to speech, and transcription of recordings
text_calls.py           tool calls that a model wrote as text
thoughts.py             removes a model's thoughts from its text
tool_calls.py           tools and tool calls in the JSON of chat completions
trial.py                tries what a model can do, and warns before it is shut down
"""
