// What a message says in a line: its text, its kind where it has none, or what happened to the group. Pure.

/** The display name of a person, a bot or a chat. */
export const nameOf = (user) => [user?.first_name, user?.last_name].filter(Boolean).join(" ") || user?.title || "Unknown";

export const textOf = (message) => message.text ?? message.caption ?? "";

/** What Telegram shows in the middle of the log, without an author; null for what somebody said. */
export function serviceOf(message) {
  if (message.new_chat_members) return `${message.new_chat_members.map(nameOf).join(", ")} joined the group`;
  if (message.left_chat_member) return `${nameOf(message.left_chat_member)} left the group`;
  if (message.forum_topic_created) return `Topic created: ${message.forum_topic_created.name}`;
  if (message.new_chat_title) return `The group is now called ${message.new_chat_title}`;
  return null;
}

const KINDS = { photo: "Photo", voice: "Voice message", sticker: "Sticker", animation: "Animation", video: "Video", video_note: "Video message", audio: "Audio" };

/** A document's name, "Photo", "Voice message". */
export function kindOf(message) {
  const kind = Object.keys(KINDS).find((key) => message[key]);
  return kind ? KINDS[kind] : message.document?.file_name ?? "File";
}

/** One line about any message. */
export const lineOf = (message) => (serviceOf(message) ?? (textOf(message) || kindOf(message))).slice(0, 160).replace(/\s+/g, " ");
