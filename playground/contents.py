"""Send and edit people's messages that are neither plain text nor files, such as rich messages, checklists and stories.

Their fields have the same names as in the Bot API, and are not checked.
"""

from playground.people import Impossible
from playground.refusals import Json
from playground.world import World


def send_content(
    world: World,
    person_id: int,
    chat_id: int,
    content: Json,
    *,
    reply_to: int | None = None,
    thread_id: int | None = None,
    forward_from: str = "",
) -> Json:
    """Send a person's message with fields such as {"rich_message": …}. `forward_from` is a hidden author's name."""
    if chat_id not in world.chats or person_id not in world.chats[chat_id].members:
        raise Impossible(f"Person {person_id} is not in chat {chat_id}.")
    origin = {"type": "hidden_user", "date": int(world.clock()), "sender_user_name": forward_from}
    forwarded: Json = {"forward_origin": origin} if forward_from else {}
    return world.post_from_person(person_id, chat_id, {**forwarded, **content}, thread_id=thread_id, reply_to=reply_to)


def stop_draft(world: World, person_id: int, *, thread_id: int | None = None) -> None:
    """Press the draft's stop button in a private chat. Raise Impossible if there is no draft with `can_stop`."""
    draft = world.make_snapshot()["drafts"].get(str(person_id), {})
    if not draft.get("can_stop"):
        raise Impossible("There is no draft that can be stopped.")
    topic = {} if thread_id is None else {"message_thread_id": thread_id}
    pressed: Json = {"chat": world.chats[person_id].to_chat_json(), "draft_id": draft["draft_id"], **topic}
    world.updates.add("stopped_message_generation", pressed)


def edit_content(world: World, person_id: int, chat_id: int, message_id: int, content: Json) -> Json:
    """Change the content of the person's own message, and notify the bot regardless of its privacy mode."""
    message = world.messages.get(chat_id, {}).get(message_id)
    if message is None or message["from"]["id"] != person_id:
        raise Impossible("Only one's own messages can be edited.")
    edited = world.replace_message(chat_id, {**message, **content, "edit_date": int(world.clock())})
    world.updates.add("edited_message", edited)
    return edited
