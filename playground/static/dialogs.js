// The chat list: whom one can speak as, with the last words and unread badges. Knows nothing of how a chat is drawn.

import { avatar, byId, clockOf, dayOf, h, icon, isToday } from "./dom.js";
import { dialogs, isPrivate, on, openChat, speakersOf, state, titleOf, unreadIn, writingIn } from "./state.js";
import { addPerson, pageLanguageChoice } from "./guests.js";
import { tr } from "./texts.js";
import { nextTheme, themeName } from "./themes.js";
import { go } from "./views.js";
import { lineOf, nameOf, serviceOf } from "./words.js";

export function startDialogs() {
  for (const topic of ["all", "changed", "opened", "read", "tick"]) on(topic, draw);
  byId("dialogs").addEventListener("keydown", walk);
}

let drawn = "";

function draw() {
  const rows = dialogs().map(rowOf);
  // Redrawn only when it shows something new, so that focus and hover survive the clock's tick.
  const key = JSON.stringify(rows);
  if (key === drawn) return;
  drawn = key;
  const focused = document.activeElement?.dataset?.chat;
  const list = byId("dialogs");
  list.replaceChildren(
    sectionOf(tr("page-in-private"), rows.filter((row) => row.private)),
    sectionOf(tr("page-groups"), rows.filter((row) => !row.private)),
    toolsNode(),
  );
  if (focused) list.querySelector(`[data-chat="${focused}"]`)?.focus();
  const unread = rows.reduce((sum, row) => sum + row.unread, 0);
  const badge = byId("tab-unread");
  badge.hidden = unread === 0;
  badge.textContent = unread;
  document.title = unread ? `(${unread}) ${tr("page-title")}` : tr("page-title");
}

function rowOf(chat) {
  const last = state.messages.get(chat.id)?.at(-1) ?? null;
  return {
    id: chat.id, title: titleOf(chat), private: isPrivate(chat), open: chat.id === state.current, unread: unreadIn(chat.id),
    typing: writingIn(chat.id) !== null, time: last ? timeOf(last) : "", preview: previewOf(chat, last),
  };
}

function timeOf(message) {
  const date = new Date(message.date * 1000);
  return isToday(date) ? clockOf(date) : dayOf(date);
}

function previewOf(chat, message) {
  if (!message) return isPrivate(chat) ? tr("page-no-messages") : tr("page-members-and-bot", { number: speakersOf(chat).length });
  const words = lineOf(message);
  if (serviceOf(message)) return words;
  if (isPrivate(chat)) return message.from?.id === chat.id ? tr("page-you-said", { words }) : words;
  return `${nameOf(message.from)}: ${words}`;
}

function sectionOf(title, rows) {
  if (!rows.length) return "";
  return h("section", {}, h("h2", {}, title), h("ul", {}, rows.map((row) => h("li", {}, buttonOf(row)))));
}

function buttonOf(row) {
  return h("button", {
    type: "button", class: "dialog", tabIndex: row.open ? 0 : -1, data: { chat: String(row.id) }, "aria-current": row.open ? "true" : null,
    on: { click: () => { openChat(row.id); go("chat"); } },
  },
  avatar(row.id, row.title),
  h("span", { class: "dialog-title" }, row.title),
  h("time", {}, row.time),
  h("span", { class: row.typing ? "dialog-text typing" : "dialog-text", dir: "auto" }, row.typing ? tr("page-typing") : row.preview),
  row.unread ? h("span", { class: "badge", "aria-label": tr("page-unread", { number: row.unread }) }, String(row.unread)) : null);
}

function toolsNode() {
  const theme = h("button", { type: "button", class: "tool", on: { click: () => { nextTheme(); theme.lastChild.textContent = themeText(); } } }, icon("theme"), h("span", {}, themeText()));
  return h("div", { class: "dialog-tools" },
    h("button", { type: "button", class: "tool", on: { click: addPerson } }, icon("person"), h("span", {}, tr("page-add-person"))), theme, pageLanguageChoice());
}

const themeText = () => tr(`page-theme-${themeName()}`);

function walk(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const buttons = [...byId("dialogs").querySelectorAll("button.dialog")];
  if (!buttons.includes(document.activeElement)) return;
  const next = buttons.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  buttons[next]?.focus();
  event.preventDefault();
}
