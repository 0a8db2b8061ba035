"""The families of commands and buttons, one file each.

A new command is a method of a family, declared with @Command; a new family is a file and its row in registry.py.

outreach/              reminders, and people who would like to be let in
past/                  /export and /import, and learning from what was imported
answers.py             the buttons under an answer: regenerate, continue, try again, stop
basics.py              /start, /help, /privacy and /stop
buttons.py             signed callback data, keyboards, and the buttons of the last answer
chats.py               /new and /chats: several conversations, of which one is open
choices.py             /settings: every choice in one message; /tz, /incognito, /language
dashboard.py           /dashboard: the page of one's memory
family.py              the base class of families, their declarations, and questions that a text answers
forget.py              /forget: the preview, the confirmation, the receipt
forget_targets.py      the targets of /forget, in words and in a payload
memory.py              /memory
models.py              /model and /persona: the model and its style
policy.py              /summary_policy, /summary_prompt, /summary_rebuild
proposals.py           proposals of the model to remember, forget or do something
registry.py            all families, and the dispatch to them
search.py              /search and its "More" button
summaries.py           /summary_status, _show, _on, _off and _now
usage.py               /usage: tokens and costs
why.py                 /why: what an answer was made from
wizard.py              /summary in two steps, and /cancel
wording.py             texts that several families share
"""
