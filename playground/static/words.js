// What a message says in a line: its text, its kind where it has none, or what happened to the group. Pure.

import { listed, tr } from "./texts.js";

/** The display name of a person, a bot or a chat. */
export const nameOf = (user) => [user?.first_name, user?.last_name].filter(Boolean).join(" ") || user?.title || "?";

/** The words of a rich message as the bot wrote them: nothing here shows blocks. */
export const richOf = (message) => (message.rich_message?.blocks ?? []).map((block) => (typeof block.text === "string" ? block.text : "")).join("\n\n");

export const textOf = (message) => message.text ?? message.caption ?? richOf(message);

/** What Telegram shows in the middle of the log, without an author; null for what somebody said. */
export function serviceOf(message) {
  if (message.new_chat_members) return tr("page-joined", { names: listed(message.new_chat_members.map(nameOf)) });
  if (message.left_chat_member) return tr("page-left", { name: nameOf(message.left_chat_member) });
  if (message.forum_topic_created) return tr("page-topic-created", { name: message.forum_topic_created.name });
  if (message.new_chat_title) return tr("page-group-renamed", { name: message.new_chat_title });
  return null;
}

const KINDS = ["photo", "voice", "sticker", "animation", "video", "audio"];

/** A document's name, "Photo", "Voice message". */
export function kindOf(message) {
  const kind = message.video_note ? "video" : KINDS.find((key) => message[key]);
  return kind ? tr(`page-kind-${kind}`) : message.document?.file_name ?? tr("page-kind-file");
}

/** One line about any message. */
export const lineOf = (message) => (serviceOf(message) ?? (textOf(message) || kindOf(message))).slice(0, 160).replace(/\s+/g, " ");
