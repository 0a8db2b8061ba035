// Where people write: text, replies, edits, files, the speaker of a group. Sends by net.js; the answer comes as an event.
// The menus over the text are in suggest.js.

import { byId, h, icon } from "./dom.js";
import * as net from "./net.js";
import { closeMenu, menuKey, openCommands, startSuggestions, suggestFor } from "./suggest.js";
import { currentChat, emit, isPrivate, on, setPref, speakerIn, speakersOf, state, threadIn, visibleMessages } from "./state.js";
import { tr } from "./texts.js";
import { toast } from "./toast.js";
import { lineOf, nameOf, textOf } from "./words.js";

let about = null; // {kind: "reply" | "edit", message} while the next words answer or change a message
let field = null;

export function startComposer() {
  startSuggestions();
  for (const topic of ["all", "opened"]) on(topic, () => { about = null; draw(); });
  on("view", fit); // a field that was not shown had no height to measure
  on("changed", ({ chatId, changes }) => { if (chatId === state.current) follow(changes); });
  document.addEventListener("keydown", typeAnywhere);
  const drop = byId("chat");
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("dropping"); });
  drop.addEventListener("dragleave", (event) => { if (!drop.contains(event.relatedTarget)) drop.classList.remove("dropping"); });
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("dropping");
    sendFiles([...event.dataTransfer.files]);
  });
}

function draw() {
  const chat = currentChat();
  const footer = byId("composer");
  if (!chat) return footer.replaceChildren();
  if (isPrivate(chat) && visibleMessages(chat).length === 0) {
    field = null;
    return footer.replaceChildren(h("button", { type: "button", class: "start", on: { click: () => sendText("/start") } }, tr("page-start")));
  }
  return drawField(chat, footer);
}

function drawField(chat, footer) {
  field = h("textarea", {
    rows: 1, id: "words", placeholder: isPrivate(chat) ? tr("page-message") : tr("page-message-group", { bot: `@${state.bot?.username}` }),
    "aria-label": tr("page-message"), "aria-controls": "menu", "aria-autocomplete": "list", autocomplete: "off", dir: "auto",
    on: { input: onInput, keydown: onKey, paste: onPaste, blur: closeMenu },
  });
  field.value = state.prefs.unsent[chat.id] ?? "";
  const file = h("input", { type: "file", id: "file", multiple: true, hidden: true, on: { change: () => { sendFiles([...file.files]); file.value = ""; } } });
  footer.replaceChildren(
    h("div", { class: "menu", id: "menu", role: "listbox", "aria-label": tr("page-suggestions"), hidden: true }),
    h("div", { class: "about", id: "about", hidden: true }),
    h("div", { class: "tries", id: "tries", role: "group", "aria-label": tr("page-suggestions"), hidden: true }),
    h("form", { class: "write", on: { submit: (event) => { event.preventDefault(); send(); } } },
      speakerChoice(chat),
      h("button", { type: "button", class: "round menu-button", "aria-label": tr("page-commands"), title: tr("page-commands"), on: { mousedown: keepFocus, click: () => openCommands(field, pick) } }, icon("menu")),
      field,
      h("button", { type: "button", class: "round", "aria-label": tr("page-attach"), title: tr("page-attach"), on: { click: () => file.click() } }, icon("clip")), file,
      h("button", { type: "submit", class: "round send", "aria-label": tr("page-send"), title: tr("page-send") }, icon("send"))),
  );
  fit();
  drawAbout();
  drawTries();
  if (matchMedia("(pointer: fine)").matches) field.focus({ preventScroll: true });
}

// What a newcomer may say, one tap each, until enough of their own words stand there.
const TRIES = [tr("page-try-1"), tr("page-try-2"), tr("page-try-3"), tr("page-try-4"), "/why", "/help"];
const MOST_TRIES = 4;
const NEWCOMER = 12; // own messages

function drawTries() {
  const bar = byId("tries");
  const chat = currentChat();
  if (!bar || !chat) return;
  const said = new Set(visibleMessages(chat).filter((one) => !one.from?.is_bot).map(textOf));
  const left = isPrivate(chat) && said.size <= NEWCOMER ? TRIES.filter((one) => !said.has(one)).slice(0, MOST_TRIES) : [];
  bar.hidden = left.length === 0;
  bar.replaceChildren(...left.map((text) => h("button", { type: "button", class: "chip", dir: "auto", on: { mousedown: keepFocus, click: () => sendText(text) } }, text)));
}

// Whoever types while nothing that takes text has the focus means the message.
function typeAnywhere(event) {
  const isText = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
  const isTaken = document.activeElement?.closest?.("input, textarea, select, article") || document.querySelector("dialog[open]");
  if (isText && field?.isConnected && !isTaken && !event.defaultPrevented) field.focus();
}

// Pressing a button next to the field must not blur it: that would close the menu before the click arrives.
const keepFocus = (event) => event.preventDefault();

function speakerChoice(chat) {
  if (isPrivate(chat)) return null;
  const speaker = speakerIn(chat);
  return h("label", { class: "speaker" }, h("span", {}, tr("page-speak-as")),
    h("select", { id: "speaker", "aria-label": tr("page-speak-as"), on: { change: (event) => { setPref("speaker", Number(event.target.value), chat.id); emit("speaker"); } } },
      speakersOf(chat).map((person) => h("option", { value: String(person.id), selected: person.id === speaker?.id }, nameOf(person)))));
}

// A bot may ask for an answer (force_reply): Telegram then opens the reply for the person.
function follow(changes) {
  if (!field) return draw();
  const asked = changes.find((one) => one.kind === "ask" && one.message);
  if (asked) setAbout({ kind: "reply", message: asked.message });
  if (visibleMessages(currentChat()).length === 0) draw();
  else drawTries();
  return undefined;
}

export const replyTo = (message) => setAbout({ kind: "reply", message });

export function startEdit(message) {
  setAbout({ kind: "edit", message });
  if (!field) return;
  field.value = textOf(message);
  fit();
}

function setAbout(value) {
  if (about?.kind === "edit" && field) field.value = "";
  about = value;
  drawAbout();
  fit();
  field?.focus();
}

function drawAbout() {
  const bar = byId("about");
  if (!bar) return;
  bar.hidden = about === null;
  if (about === null) return bar.replaceChildren();
  return bar.replaceChildren(icon(about.kind === "edit" ? "edit" : "reply"),
    h("div", {}, h("b", {}, about.kind === "edit" ? tr("memory-button-edit") : tr("page-reply-to", { name: nameOf(about.message.from) })), h("span", {}, lineOf(about.message))),
    h("button", { type: "button", class: "round", "aria-label": tr("dashboard-cancel"), on: { click: () => setAbout(null) } }, icon("close")));
}

function onInput() {
  fit();
  if (about?.kind !== "edit") setPref("unsent", field.value, state.current);
  suggestFor(field, pick);
}

function onKey(event) {
  if (event.isComposing || menuKey(event)) return;
  const touch = matchMedia("(pointer: coarse)").matches;
  if (event.key === "Enter" && !event.shiftKey && !touch) { event.preventDefault(); send(); }
  if (event.key === "Escape" && about) { event.preventDefault(); setAbout(null); }
  if (event.key === "ArrowUp" && field.value === "" && !about) editLast(event);
}

function editLast(event) {
  const me = speakerIn(currentChat());
  const last = visibleMessages(currentChat()).findLast((message) => message.from?.id === me?.id && message.text);
  if (!last) return;
  event.preventDefault();
  startEdit(last);
}

function onPaste(event) {
  const files = [...event.clipboardData.files];
  if (!files.length) return;
  event.preventDefault();
  sendFiles(files);
}

// A suggestion was taken: a command goes off at once, as in Telegram; a mention waits for the words.
function pick(text, { now }) {
  if (now) { clear(); return sendText(text); }
  field.value = text;
  setPref("unsent", text, state.current);
  return field.focus();
}

async function send() {
  const words = field.value.trim();
  if (!words) return;
  const chat = currentChat();
  const me = speakerIn(chat);
  const target = about;
  clear();
  const body = { person_id: me.id, chat_id: chat.id };
  if (target?.kind === "edit") return attempt(() => net.edit({ ...body, message_id: target.message.message_id, text: words }), words);
  return sendText(words, target?.message.message_id);
}

function clear() {
  about = null;
  field.value = "";
  setPref("unsent", "", state.current);
  closeMenu();
  drawAbout();
  fit();
}

/** Says `text` as the chosen speaker; the server cuts what is longer than one message, as Telegram's clients do. */
export async function sendText(text, replyId) {
  const chat = currentChat();
  const base = { person_id: speakerIn(chat).id, chat_id: chat.id, ...place(chat) };
  await attempt(() => net.say({ ...base, text, ...(replyId ? { reply_to: replyId } : {}) }), text);
}

async function sendFiles(files) {
  const chat = currentChat();
  const caption = field?.value.trim() || undefined;
  if (!files.length || !chat) return;
  const answered = about?.kind === "reply" ? { reply_to: about.message.message_id } : {};
  if (field) clear();
  // Several pictures at once are an album, as in Telegram.
  const album = files.length > 1 && files.every((file) => kindOfFile(file) === "photo") ? { album: `album-${Date.now()}` } : {};
  for (const [index, file] of files.entries()) {
    const fields = { person_id: speakerIn(chat).id, chat_id: chat.id, kind: kindOfFile(file), ...album, ...place(chat), ...answered, ...(index === 0 && caption ? { caption } : {}) };
    await attempt(() => net.sendFile(fields, file), caption);
  }
}

// As Telegram's clients send them: a recording in Ogg is a voice message.
function kindOfFile({ type, name }) {
  if (/^image\/(jpeg|png|webp)$/.test(type)) return "photo";
  if (/\.(oga|ogg|opus)$/i.test(name)) return "voice";
  return type.startsWith("audio/") ? "audio" : "document";
}

const place = (chat) => (threadIn(chat) ? { thread_id: threadIn(chat) } : {});

// What could not be sent goes back into the field: nobody types a message twice.
async function attempt(run, unsent) {
  try {
    await run();
  } catch (problem) {
    toast(problem instanceof net.Refused ? problem.message : tr("page-not-sent"), { bad: true });
    if (field && field.value === "" && unsent) { field.value = unsent; onInput(); }
  }
}

function fit() {
  if (!field) return;
  field.style.setProperty("height", "auto");
  field.style.setProperty("height", `${Math.min(field.scrollHeight, 220)}px`);
}
