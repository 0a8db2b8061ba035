// The conversation in the middle: which messages are on the page, in what order, and where the reader stands.
// Bubbles are drawn by bubble.js, texts are sent by composer.js.

import { bubbleOf, dateOf, draftOf } from "./bubble.js";
import { avatar, byId, dayOf, h, hueOf } from "./dom.js";
import { languageChoice, startOver } from "./guests.js";
import * as reading from "./reading.js";
import {
  currentChat, emit, isPrivate, on, setPref, speakerIn, speakersOf, state, threadIn, titleOf,
  topicsOf, unreadIn, visibleMessages, writingIn,
} from "./state.js";
import { tr } from "./texts.js";
import { lineOf, nameOf, serviceOf, textOf } from "./words.js";

const STEP = 150; // messages on the page at first, and more at each reach of its top
const JOINED_SECONDS = 300;

let limit = STEP;
let act = null;
let unreadFrom = null;

/** `actions`: what a bubble's clicks do, see bubble.js. */
export function startChat(actions) {
  act = { ...actions, jump };
  on("all", () => { noteUnread(); draw(); reading.restore(state.current); });
  on("opened", () => { limit = STEP; noteUnread(); draw(); reading.restore(state.current); });
  on("speaker", () => draw());
  on("changed", change);
  on("tick", () => { drawHead(); drawWriting(); });
  on("connection", drawHead);
  reading.start({ onTop: more });
  byId("log").addEventListener("keydown", walk);
  byId("log").addEventListener("focusin", (event) => openStops(event.target.closest("article")));
  byId("start-over").addEventListener("click", () => startOver(currentChat(), titleOf(currentChat())));
}

// Tab reaches the log and what is in its last message; arrow keys go to the others, and Tab then into what they hold.
const STOPS = "button, a[href], audio, .spoiler, .inline-link";

function openStops(article) {
  const log = byId("log");
  const open = article ?? [...log.querySelectorAll("article")].at(-1);
  for (const element of log.querySelectorAll(STOPS)) {
    if (!element.closest(".tools")) element.tabIndex = open?.contains(element) ? 0 : -1;
  }
}

function noteUnread() {
  const chat = currentChat();
  const read = state.prefs.read[chat?.id] ?? 0;
  unreadFrom = chat && unreadIn(chat.id) ? visibleMessages(chat).find((one) => one.message_id > read && one.from?.is_bot)?.message_id ?? null : null;
}

function draw() {
  const chat = currentChat();
  if (!chat) return;
  drawHead();
  drawTopics(chat);
  const messages = visibleMessages(chat).slice(-limit);
  const nodes = [];
  messages.forEach((message, index) => nodes.push(...nodesOf(chat, message, messages[index - 1])));
  if (chat.recalled && messages.at(-1)?.message_id === chat.recalled) nodes.push(welcomeBack());
  reading.keep(() => byId("log").replaceChildren(...(nodes.length ? nodes : [welcome(chat)])));
  openStops(null);
  drawWriting();
}

function nodesOf(chat, message, previous) {
  const nodes = [];
  const newDay = !previous || dayOf(dateOf(previous)) !== dayOf(dateOf(message));
  if (newDay) nodes.push(h("p", { class: "day" }, h("span", {}, dayOf(dateOf(message)))));
  if (chat.recalled && previous?.message_id === chat.recalled) nodes.push(welcomeBack());
  if (message.message_id === unreadFrom) nodes.push(h("p", { class: "unread-line" }, tr("page-new-messages")));
  nodes.push(serviceOf(message) ? serviceNode(message) : drawnBubble(chat, message, newDay ? null : previous));
  return nodes;
}

// After a restart: what stands above comes from the memory, for the chat itself was only in the process.
const welcomeBack = () => h("p", { class: "unread-line back" }, tr("page-welcome-back"));

function serviceNode(message) {
  return h("p", { class: "day", data: { id: String(message.message_id) } }, h("span", {}, serviceOf(message)));
}

function drawnBubble(chat, message, previous) {
  const me = speakerIn(chat);
  const mine = message.from?.id === me?.id;
  const joined = Boolean(previous) && !serviceOf(previous) && previous.from?.id === message.from?.id
    && message.date - previous.date < JOINED_SECONDS && message.message_id !== unreadFrom;
  const view = { mine, joined, named: !mine && (!isPrivate(chat) || message.from?.id === 0), canEdit: mine && Boolean(message.text), hue: message.from?.is_bot ? "205" : hueOf(message.from?.id) };
  return bubbleOf(message, view, act);
}

function change({ chatId, changes }) {
  const chat = currentChat();
  if (!chat || chatId !== chat.id) return;
  drawHead();
  const here = new Set(visibleMessages(chat).map((message) => message.message_id));
  for (const one of changes) {
    if (one.kind === "delete") { draw(); return; }
    if (one.kind === "message" && here.has(one.message.message_id)) append(chat, one.message);
    if (one.kind === "edit") redraw(chat, one.message);
  }
  drawWriting();
}

function append(chat, message) {
  const log = byId("log");
  const messages = visibleMessages(chat);
  const mine = message.from?.id === speakerIn(chat)?.id;
  if (messages.length === 1) log.replaceChildren();
  log.querySelector(".draft")?.remove();
  const previous = messages[messages.findIndex((one) => one.message_id === message.message_id) - 1];
  const isThere = log.querySelector(".back") !== null;
  const nodes = nodesOf(chat, message, previous).filter((node) => !(isThere && node.classList.contains("back")));
  reading.keep(() => log.append(...nodes), { toEnd: mine, arrived: !mine });
  openStops(document.activeElement?.closest?.("article") ?? null);
  if (message.from?.is_bot) announce(`${nameOf(message.from)}: ${textOf(message).slice(0, 400) || lineOf(message)}`);
}

function redraw(chat, message) {
  const old = byId("log").querySelector(`article[data-id="${message.message_id}"]`);
  if (!old) return;
  const focused = old.contains(document.activeElement) ? document.activeElement.textContent : null;
  const messages = visibleMessages(chat);
  const previous = messages[messages.findIndex((one) => one.message_id === message.message_id) - 1];
  const fresh = drawnBubble(chat, message, old.classList.contains("joined") ? previous : null);
  reading.keep(() => old.replaceWith(fresh));
  // A pressed button is often replaced by the edit that it causes: the keyboard stays where it was.
  if (focused !== null) ([...fresh.querySelectorAll("button")].find((one) => one.textContent === focused) ?? fresh).focus();
}

// The bubble of what is being written: a draft's text so far, or three dots for a chat action.
function drawWriting() {
  const chat = currentChat();
  if (!chat) return;
  const log = byId("log");
  const shown = writingIn(chat.id, threadIn(chat));
  const old = log.querySelector(".draft");
  const key = shown ? JSON.stringify([shown.text, shown.rich_message, shown.entities]) : "";
  if ((old?.dataset.key ?? "") === key) return;
  reading.keep(() => {
    old?.remove();
    if (!shown) return;
    const bubble = draftOf(shown);
    bubble.dataset.key = key;
    log.append(bubble);
  });
}

function drawHead() {
  const chat = currentChat();
  if (!chat) return;
  const inPrivate = isPrivate(chat);
  const status = byId("chat-status");
  byId("chat-name").textContent = inPrivate ? nameOf(state.bot) : titleOf(chat);
  drawLanguage(chat);
  byId("chat-avatar").replaceChildren(inPrivate ? avatar(0, "", { bot: true }) : avatar(chat.id, titleOf(chat)));
  const writing = writingIn(chat.id, threadIn(chat)) !== null;
  status.className = writing ? "typing" : "";
  status.textContent = !state.connected ? tr("page-waiting")
    : writing ? tr("page-typing")
    : inPrivate ? tr("page-writing-as", { name: titleOf(chat) })
    : tr("page-members-and-bot", { number: speakersOf(chat).length });
}

// Not each second: an open choice would close.
let languageOf = "";
function drawLanguage(chat) {
  const person = isPrivate(chat) ? speakerIn(chat) : null;
  const key = person ? `${person.id}/${person.language_code}` : "";
  if (key === languageOf) return;
  languageOf = key;
  byId("chat-language").replaceChildren(...(person ? [languageChoice(person)] : []));
}

function drawTopics(chat) {
  const bar = byId("topics");
  const topics = topicsOf(chat);
  bar.hidden = topics.length === 0;
  bar.replaceChildren(...topics.map((topic) => h("button", {
    type: "button", role: "tab", "aria-selected": String(topic.id === threadIn(chat)),
    on: { click: () => { setPref("thread", topic.id, chat.id); emit("opened", chat.id); } },
  }, topic.name)));
}

function welcome(chat) {
  const inPrivate = isPrivate(chat);
  return h("div", { class: "welcome" },
    avatar(chat.id, titleOf(chat), { bot: inPrivate }),
    h("h2", {}, inPrivate ? nameOf(state.bot) : titleOf(chat)),
    h("p", {}, inPrivate ? tr("page-welcome-private") : tr("page-welcome-group", { bot: `@${state.bot?.username}` })));
}

function more() {
  if (visibleMessages(currentChat()).length <= limit) return;
  limit += STEP;
  draw();
}

/** Brings a message into view and lights it up for a moment. */
export function jump(messageId) {
  const chat = currentChat();
  const index = visibleMessages(chat).findIndex((message) => message.message_id === messageId);
  if (index === -1) return;
  if (visibleMessages(chat).length - index > limit) { limit = visibleMessages(chat).length - index + 20; draw(); }
  const target = byId("log").querySelector(`[data-id="${messageId}"]`);
  target?.scrollIntoView({ block: "center" });
  target?.animate?.([{ backgroundColor: "var(--flash)" }, { backgroundColor: "transparent" }], 1400);
}

function announce(text) {
  byId("announcer").textContent = text;
}

function walk(event) {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  const log = byId("log");
  const focused = document.activeElement;
  if (focused !== log && focused?.parentElement !== log) return;
  const all = [...log.querySelectorAll("article")];
  const at = all.indexOf(focused);
  const next = at === -1 ? all.at(-1) : all[at + (event.key === "ArrowDown" ? 1 : -1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
