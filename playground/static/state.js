// What the page knows: people, chats, messages, and how far the person has read. Applies the server's events.
// Pure bookkeeping: touches no element and no network. Listeners are told by topic what has changed.

import { loadPrefs, savePrefs } from "./prefs.js";
import { tr } from "./texts.js";
import { nameOf } from "./words.js";

export const state = {
  bot: null, people: new Map(), chats: new Map(), messages: new Map(),
  drafts: new Map(), // chat id → the reply that is being written there
  actions: new Map(), // chat id → {action, until}
  connected: false, current: null, prefs: loadPrefs(),
};

const listeners = new Map();

/** Calls `listener(detail)` for every `emit(topic, detail)`. */
export function on(topic, listener) {
  listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
}

export function emit(topic, detail) {
  for (const listener of listeners.get(topic) ?? []) listener(detail);
}

/** Replaces everything by the server's snapshot. */
export function adopt(snapshot) {
  state.bot = snapshot.bot;
  state.people = new Map(snapshot.people.map((person) => [person.id, person]));
  state.chats = new Map(snapshot.chats.map((chat) => [chat.id, chat]));
  state.messages = new Map(Object.entries(snapshot.messages).map(([id, messages]) => [Number(id), [...messages]]));
  state.drafts = new Map(Object.entries(snapshot.drafts).map(([id, draft]) => [Number(id), aged(draft)]));
  state.actions.clear();
  for (const [chatId, messages] of state.messages) {
    // In a new world message ids start again: an old reading mark beyond its end would hide what is unread.
    if ((state.prefs.read[chatId] ?? 0) > Math.max(0, ...messages.map((message) => message.message_id))) state.prefs.read[chatId] = 0;
  }
  // What comes from memory was read in an earlier run.
  for (const chat of snapshot.chats) state.prefs.read[chat.id] = Math.max(state.prefs.read[chat.id] ?? 0, chat.recalled ?? 0);
  if (!state.chats.has(state.current)) {
    state.current = state.chats.has(state.prefs.current) ? state.prefs.current : dialogs()[0]?.id ?? null;
  }
  emit("all");
}

// Telegram's clients show a draft for half a minute, unless the message comes.
const aged = (draft) => ({ ...draft, until: Date.now() + 30_000 });

/** Applies events in order, then tells `changed` once for every chat concerned. */
export function apply(events) {
  const chats = new Map();
  for (const event of events) {
    const changes = chats.get(event.chat_id) ?? [];
    const change = applyOne(event);
    if (change) changes.push(change);
    if (event.chat_id !== undefined) chats.set(event.chat_id, changes);
  }
  for (const [chatId, changes] of chats) emit("changed", { chatId, changes });
}

function applyOne(event) {
  const list = state.messages.get(event.chat_id) ?? [];
  if (event.chat_id !== undefined) state.messages.set(event.chat_id, list);
  switch (event.kind) {
    case "message": {
      if (list.some((known) => known.message_id === event.message.message_id)) return replace(list, event.message);
      list.push(event.message);
      if (event.message.from?.is_bot) { state.drafts.delete(event.chat_id); state.actions.delete(event.chat_id); }
      return { kind: "message", message: event.message };
    }
    case "edit": case "markup": return replace(list, event.message);
    case "delete": {
      state.messages.set(event.chat_id, list.filter((message) => message.message_id !== event.message_id));
      return { kind: "delete" };
    }
    case "ask": return { kind: "ask", message: list.find((message) => message.message_id === event.message_id) };
    case "draft":
      state.drafts.set(event.chat_id, aged(event.draft));
      state.actions.delete(event.chat_id);
      return { kind: "draft" };
    case "action":
      // Telegram shows an action for five seconds, or until the bot says something.
      state.actions.set(event.chat_id, { action: event.action, thread: event.message_thread_id ?? 0, until: Date.now() + 5000 });
      return { kind: "action" };
    case "callback_answer": emit("answer", event); return null;
    case "commands": emit("commands"); return null;
    default: return null;
  }
}

function replace(list, message) {
  const index = list.findIndex((known) => known.message_id === message.message_id);
  if (index === -1) return null;
  list[index] = message;
  return { kind: "edit", message };
}

/** The chat list: private chats in the world's order, then groups. */
export function dialogs() {
  const chats = [...state.chats.values()];
  return [...chats.filter(isPrivate), ...chats.filter((chat) => !isPrivate(chat))];
}

export const isPrivate = (chat) => chat?.type === "private";
export const currentChat = () => state.chats.get(state.current) ?? null;

export function titleOf(chat) {
  return isPrivate(chat) ? nameOf(state.people.get(chat.id) ?? chat) : chat.title;
}

/** The people who can speak in a chat. */
export function speakersOf(chat) {
  if (isPrivate(chat)) return [state.people.get(chat.id)].filter(Boolean);
  return chat.members.map((id) => state.people.get(id)).filter(Boolean);
}

/** Whom the person at the keyboard plays in `chat`. */
export function speakerIn(chat) {
  const speakers = speakersOf(chat);
  return speakers.find((person) => person.id === state.prefs.speaker[chat.id]) ?? speakers[0] ?? null;
}

export function topicsOf(chat) {
  if (!chat?.is_forum) return [];
  return [{ id: 0, name: tr("page-topic-general") }, ...Object.entries(chat.topics).map(([id, name]) => ({ id: Number(id), name }))];
}

/** The open topic of a forum; 0 where there are none. */
export const threadIn = (chat) => (chat?.is_forum ? state.prefs.thread[chat.id] ?? 0 : 0);

/** Messages of the open chat, of its open topic only. */
export function visibleMessages(chat) {
  const all = (state.messages.get(chat?.id) ?? []).filter((message) => isSeenBy(message, speakerIn(chat)));
  if (!chat?.is_forum) return all;
  const thread = threadIn(chat);
  return all.filter((message) => (message.is_topic_message ? message.message_thread_id : 0) === thread);
}

/** Whether a person sees a message: an ephemeral one is for its receiver and its author alone. */
const isSeenBy = (message, person) => !message.receiver_user || [message.receiver_user.id, message.from?.id].includes(person?.id);

/** Whether the bot is busy with an answer in this chat: {text, entities} so far, {text: ""} for mere typing, or null. */
export function writingIn(chatId, thread = null) {
  const fits = (one, at) => one && one.until > Date.now() && (thread === null || at === thread);
  const draft = state.drafts.get(chatId);
  if (fits(draft, draft?.message_thread_id ?? 0)) return draft;
  const action = state.actions.get(chatId);
  return fits(action, action?.thread) ? { text: "" } : null;
}

export function unreadIn(chatId) {
  const read = state.prefs.read[chatId] ?? 0;
  return (state.messages.get(chatId) ?? []).filter((message) => message.message_id > read && message.from?.is_bot).length;
}

export function markRead(chatId) {
  const last = Math.max(0, ...(state.messages.get(chatId) ?? []).map((message) => message.message_id));
  if ((state.prefs.read[chatId] ?? 0) >= last) return;
  state.prefs.read[chatId] = last;
  savePrefs(state.prefs);
  emit("read", chatId);
}

export function openChat(chatId) {
  state.current = chatId;
  setPref("current", chatId);
  emit("opened", chatId);
}

/** Keeps a choice over reloads: `setPref("speaker", personId, chatId)`. */
export function setPref(name, value, key) {
  if (key === undefined) state.prefs[name] = value;
  else state.prefs[name][key] = value;
  savePrefs(state.prefs);
}
