"""Privacy mode: which messages of a group are meant for the bot.

Follows core.telegram.org/bots/features#privacy-mode; a mention counts, as it does on the real server.
"""

from playground.refusals import Json


def is_meant_for(bot: Json, message: Json) -> bool:
    """Whether a bot in privacy mode gets this group message: replies to it, commands, mentions."""
    replied = message.get("reply_to_message", {})
    if replied.get("from", {}).get("id") == bot["id"]:
        return True
    name = bot["username"].lower()
    return any(_addresses(word.lower(), name) for word in _named(message))


def _addresses(word: str, bot_name: str) -> bool:
    """A mention or command that names this bot; a command without a name is for every bot."""
    head, _, name = word.partition("@")
    return name == bot_name or (head.startswith("/") and not name)


def _named(message: Json) -> list[str]:
    """The mentions and commands in a message."""
    text = (message.get("text") or message.get("caption") or "").encode("utf-16-le")
    entities = message.get("entities") or message.get("caption_entities") or []
    return [
        text[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode("utf-16-le")
        for entity in entities
        if entity["type"] in ("mention", "bot_command")
    ]
