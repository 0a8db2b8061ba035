"""The commands: one table, from which /help, the menus and the README's list come. Does not know what they do."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A row of the table. `who`: in groups, whether only admins may; `where`: the menus that list it.

    `asks_model`: it takes as long as a model does, so nothing else is to wait behind it.
    """

    name: str
    description: str
    who: Literal["everyone", "admins"] = "everyone"
    where: Literal["private", "everywhere"] = "everywhere"
    asks_model: bool = False


COMMANDS = (
    Command(name="start", description="what I am, and a button to turn memory on", where="private"),
    Command(name="help", description="every command, and what is stored where"),
    Command(name="summary", description="set up memory: storage and how often to summarise", who="admins"),
    Command(name="cancel", description="leave the setup or the import, nothing changed", who="admins"),
    Command(name="summary_status", description="how memory stands, in figures"),
    Command(name="summary_show", description="read the summaries"),
    Command(name="summary_on", description="turn memory on", who="admins"),
    Command(name="summary_off", description="turn memory off; what is stored stays", who="admins"),
    Command(name="summary_now", description="summarise now what is not summarised yet", who="admins", asks_model=True),
    Command(name="summary_policy", description="choose how I summarise, and whether by myself", who="admins"),
    Command(name="summary_prompt", description="tell what summaries shall heed besides", who="admins"),
    Command(name="summary_rebuild", description="make all summaries anew", who="admins"),
    Command(name="memory", description="what I know of you: read it, put it right, add to it"),
    Command(name="tz", description="your time zone"),
    Command(name="why", description="what my last answer was made from, or the one you reply to"),
    Command(name="search", description="find earlier messages: /search WORDS"),
    Command(name="incognito", description="on or off: memory is read, nothing is written", who="admins"),
    Command(name="export", description="a file of everything that is remembered here", who="admins", asks_model=True),
    # Not slow: the file that it waits for may follow at once.
    Command(name="import", description="bring in an export: mine, Telegram's or ChatGPT's", who="admins"),
    Command(name="forget", description="erase a message, a fact, days or everything, for good", who="admins"),
    Command(name="stop", description="stop the answer that is being written"),
)
