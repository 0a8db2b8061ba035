"""Links to messages, which Telegram has in supergroups, for their members. Does not know what the messages say."""

FIRST_SUPERGROUP = -1_000_000_000_000
"""Chat ids from here down are supergroups and channels; the rest of the number is the id that links carry."""


def link(chat_id: int, thread: int, message_id: int | None) -> str:
    """The address of a message; "" in private chats and basic groups, which have none."""
    if message_id is None or chat_id > FIRST_SUPERGROUP:
        return ""
    topic = f"{thread}/" if thread > 0 else ""
    return f"https://t.me/c/{FIRST_SUPERGROUP - chat_id}/{topic}{message_id}"
