// The people of the playground: adding one, the language of their app, and starting over with a chat.
// Sends by net.js; the server then has the page read everything again.

import { byId, h } from "./dom.js";
import * as net from "./net.js";
import { openChat, setPref } from "./state.js";
import { toast } from "./toast.js";
import { go } from "./views.js";

const LANGUAGES = { en: "English", ru: "Русский", es: "Español", de: "Deutsch", zh: "中文", pt: "Português", ar: "العربية" };

/** A choice of languages, the given one chosen. */
function languages(chosen) {
  const codes = chosen in LANGUAGES ? LANGUAGES : { ...LANGUAGES, [chosen]: chosen };
  return Object.entries(codes).map(([code, name]) => h("option", { value: code, selected: code === chosen }, name));
}

/** Asks for a name and a language, and opens the new person's chat. */
export function addPerson() {
  const name = h("input", { name: "name", required: true, maxLength: 40, autocomplete: "off", dir: "auto" });
  const language = h("select", { name: "language" }, languages("en"));
  ask("Add a person", "Add", [h("label", {}, "First name", name), h("label", {}, "Language of their app", language)], async () => {
    const person = await net.addPerson({ name: name.value, language: language.value });
    setPref("current", person.id);
    openChat(person.id);
    go("chat");
  });
}

/** The language of a person's app, as a choice. */
export function languageChoice(person) {
  const select = h("select", { "aria-label": "Language of the app", title: "Language of the app" }, languages(person.language_code));
  select.addEventListener("change", () => attempt(() => net.chooseLanguage(person.id, select.value)));
  return h("label", { class: "language" }, select);
}

/** Asks once more, then empties a chat and what is remembered of it. */
export function startOver(chat, title) {
  ask(`Start over with ${title}?`, "Start over", [h("p", { class: "hint" }, "The chat becomes empty, and everything that is remembered of it is erased.")], async () => {
    await net.startOver(chat.id);
    toast("A fresh start.");
  });
}

function ask(title, yes, fields, act) {
  const box = byId("asking");
  const form = h("form", { method: "dialog", on: { submit: () => attempt(act) } },
    h("h2", { id: "asking-title" }, title), ...fields,
    h("div", { class: "asking-buttons" },
      h("button", { type: "button", on: { click: () => box.close() } }, "Cancel"), h("button", { type: "submit" }, yes)));
  box.replaceChildren(form);
  box.showModal();
}

async function attempt(act) {
  try {
    await act();
  } catch (problem) {
    toast(problem instanceof net.Refused ? problem.message : "The server does not answer.", { bad: true });
  }
}
