"""Find and remove the bot's name in a group's messages: a mention, or the name at the beginning or end."""

import re
from collections.abc import Sequence

import telegram

MENTION = re.compile(r"(?<![\w@])(@[A-Za-z0-9_]{1,64})")
COMMAS = ",，、،"
# The punctuation between the bot's name and the rest of the message.
AFTER_NAME = re.compile(r"[!?.…！？。؟]*(?:\s+[–—-](?=\s))?[\s,:;，、：；،؛]*")


def remove_and_detect_bot_mentions(
    text: str, entities: Sequence[telegram.MessageEntity] | None, bot: telegram.User
) -> tuple[str, bool]:
    if entities is not None:
        segments = _split_at_bot_mentions(text, entities, bot)
    else:  # a formatted message or a checklist has lost its entities
        parts = MENTION.split(text)  # every second one is a name
        ours = [at for at in range(1, len(parts), 2) if parts[at].casefold() == f"@{bot.username}".casefold()]
        begins, ends = [0, *(at + 1 for at in ours)], [*ours, len(parts)]
        segments = ["".join(parts[begin:end]) for begin, end in zip(begins, ends, strict=True)]
    words, has_any = _join_text_around_mentions(segments).strip(), len(segments) > 1
    called = None if has_any else _remove_bot_name_at_either_end(words, bot.first_name)
    return (words, has_any) if called is None else (called, True)


def _split_at_bot_mentions(text: str, entities: Sequence[telegram.MessageEntity], bot: telegram.User) -> list[str]:
    units = text.encode("utf-16-le", "surrogatepass")
    segments, since = list[bytes](), 0
    for entity in entities:
        begin, end = entity.offset * 2, (entity.offset + entity.length) * 2
        if since <= begin and _is_mention_of_bot(entity, units, bot):
            segments.append(units[since:begin])
            since = end
    segments.append(units[since:])
    return [segment.decode("utf-16-le", "surrogatepass") for segment in segments]


def _remove_bot_name_at_either_end(text: str, bot_name: str) -> str | None:
    """Remove the bot's name from the beginning or end of a text. Return None if the name is at neither end."""
    bot_name = bot_name.strip()
    if len(bot_name) < 3:  # a shorter name may be any word
        return None
    begin, end = text[: len(bot_name)], text[len(bot_name) :]
    if begin.casefold() == bot_name.casefold() and not (end[:1].isalnum() or end.startswith(("_", "'", "’", "@", "-"))):
        return AFTER_NAME.sub("", end, count=1)
    said = text.rstrip(" ?!.？！。؟")
    before = said[: -len(bot_name)].rstrip()
    if said[len(before) :].strip().casefold() == bot_name.casefold() and before and before[-1] in COMMAS:
        return before[:-1].rstrip() + text[len(said) :].strip()
    return None


def _join_text_around_mentions(segments: Sequence[str]) -> str:
    """Join the text around mentions, so that "Hi @bot, how" becomes "Hi, how" and "Why, @bot?" becomes "Why?"."""
    made = [segments[0]]
    for after in segments[1:]:
        before, rest = made[-1].rstrip(" "), after.lstrip(" ")
        if len(made) == 1 and not before.strip(" ,"):
            made = [AFTER_NAME.sub("", after, count=1)]
        elif not rest or rest[0] in ",.;:!?，。；：！？、،؛؟":
            # The comma belonged to the mention.
            made[-1:] = [part for part in (before.rstrip(COMMAS).rstrip(), rest) if part] or [""]
        else:
            made[-1:] = [before, after]
    return "".join(made)


def _is_mention_of_bot(entity: telegram.MessageEntity, utf16_bytes: bytes, bot: telegram.User) -> bool:
    if entity.type == telegram.MessageEntity.TEXT_MENTION:
        return entity.user is not None and entity.user.id == bot.id
    # Compare the length first, so that many wrong entities cost little.
    if entity.type != telegram.MessageEntity.MENTION or not bot.username or entity.length != len(bot.username) + 1:
        return False
    name = utf16_bytes[entity.offset * 2 : (entity.offset + entity.length) * 2].decode("utf-16-le", "surrogatepass")
    return name.casefold() == f"@{bot.username}".casefold()
