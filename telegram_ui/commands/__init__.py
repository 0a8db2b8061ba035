"""The commands, one file a family, and what their buttons do. Does not know how updates arrive or who is served.

A new command is a method of a family, declared with @command; a new family is a file and its row in registry.py.

outreach/              reminders, and people who would like to be let in
past/                  /export and /import, and learning from what was imported
answers.py             the buttons under an answer: regenerate, continue, try again, stop
basics.py              /start, /help, /privacy and /stop
buttons.py             callback data that works for its person alone; which answer has buttons
chats.py               /new and /chats: several conversations, of which one is open
choices.py             /settings: every choice in one message; /tz, /incognito, /language
dashboard.py           /dashboard: the page of one's memory
family.py              what a family is made of, and how it declares commands and buttons; questions that a text answers
forget.py              /forget: what would be erased, the question, the receipt
forget_targets.py      what /forget is to erase, in words and in a button
memory.py              /memory
models.py              /model and /persona: which model answers, and in what manner
policy.py              /summary_policy, /summary_prompt, /summary_rebuild
proposals.py           what the model proposes to remember or to forget, with two buttons
registry.py            all families, and which of them answers what
search.py              /search and its "More" button
summaries.py           /summary_status, _show, _on, _off and _now
usage.py               /usage: what the talk with the models cost
why.py                 /why: what an answer was made from, in plain words
wizard.py              /summary in two steps, and /cancel
wording.py             words that several families share
"""
