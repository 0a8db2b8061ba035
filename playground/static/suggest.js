// The menu over the text field: commands after "/", names after "@". Owns the menu's keys.
// Does not send: the choice goes to the callback as pick(text, {now}).

import { avatar, byId, h } from "./dom.js";
import * as net from "./net.js";
import { currentChat, isPrivate, on, speakerIn, speakersOf, state } from "./state.js";
import { nameOf } from "./words.js";

let commands = []; // what the bot offers to this speaker in this chat: [{command, description}]
let items = [];
let marked = 0;
let onPick = null;
let typed = null;

/** Keeps the menu of commands that of the open chat. */
export function startSuggestions() {
  for (const topic of ["all", "opened", "speaker", "commands"]) on(topic, fetchCommands);
}

async function fetchCommands() {
  const chat = currentChat();
  const speaker = chat && speakerIn(chat);
  if (!speaker) return;
  // A server that is gone is told by the poll for events; the menu stays as it was.
  const fresh = await net.menu(speaker.id, chat.id).catch(() => null);
  if (!fresh || currentChat()?.id !== chat.id) return;
  commands = fresh;
  // A quick typist was faster than the menu: it opens when it comes.
  if (typed?.value && typed === document.activeElement && !items.length) suggestFor(typed, onPick);
}

/** Shows what fits the word before the cursor, or nothing. */
export function suggestFor(field, pick) {
  const words = field.value.slice(0, field.selectionStart);
  const command = /^\/(\w*)$/.exec(words);
  const mention = isPrivate(currentChat()) ? null : /(^|\s)@(\w*)$/.exec(words);
  typed = field;
  onPick = pick;
  if (command) show(commands.filter((one) => one.command.startsWith(command[1].toLowerCase())).map(commandItem));
  else if (mention) show(mentionItems(mention[2].toLowerCase(), words.length - mention[2].length));
  else closeMenu();
}

/** The whole menu, for the menu button; a second press closes it. */
export function openCommands(field, pick) {
  if (!byId("menu").hidden) return closeMenu();
  typed = field;
  onPick = pick;
  show(commands.map(commandItem));
  return field.focus();
}

export function closeMenu() {
  items = [];
  const menu = byId("menu");
  if (menu) menu.hidden = true;
  typed?.removeAttribute("aria-activedescendant");
}

/** Whether the open menu took this key. */
export function menuKey(event) {
  if (!items.length) return false;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) mark((marked + step + items.length) % items.length);
  else if (event.key === "Enter" || event.key === "Tab") choose(items[marked], event.key === "Enter");
  else if (event.key === "Escape") closeMenu();
  else return false;
  event.preventDefault();
  return true;
}

function commandItem(one) {
  const suffix = isPrivate(currentChat()) ? "" : `@${state.bot?.username}`;
  return { text: `/${one.command}${suffix}`, now: true, title: `/${one.command}`, note: one.description, face: null };
}

function mentionItems(prefix, at) {
  const people = [state.bot, ...speakersOf(currentChat())].filter((one) => one?.username);
  return people
    .filter((one) => one.username.toLowerCase().startsWith(prefix) || nameOf(one).toLowerCase().startsWith(prefix))
    .map((one) => ({
      text: `${typed.value.slice(0, at)}${one.username} ${typed.value.slice(typed.selectionStart)}`, now: false,
      title: nameOf(one), note: `@${one.username}`, face: avatar(one.id, nameOf(one), { bot: one.is_bot }),
    }));
}

function show(found) {
  const menu = byId("menu");
  items = found;
  menu.hidden = !found.length;
  menu.replaceChildren(...found.map((item, index) => h("div", {
    class: "menu-item", role: "option", id: `menu-${index}`,
    // The field keeps the focus: pressing the mouse must not take it away before the click arrives.
    on: { mousedown: (event) => event.preventDefault(), click: () => choose(item, true), mousemove: () => mark(index) },
  }, item.face, h("b", {}, item.title), h("span", {}, item.note))));
  if (found.length) mark(0);
}

function mark(index) {
  marked = index;
  [...byId("menu").children].forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
  byId("menu").children[index]?.scrollIntoView({ block: "nearest" });
  typed?.setAttribute("aria-activedescendant", `menu-${index}`);
}

function choose(item, enter) {
  closeMenu();
  onPick(item.now && !enter ? `${item.text} ` : item.text, { now: item.now && enter });
}
