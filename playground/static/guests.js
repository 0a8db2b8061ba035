// The people of the playground: adding one, the language of their app, and starting over with a chat.
// Sends by net.js; the server then has the page read everything again.

import { byId, h, icon } from "./dom.js";
import * as net from "./net.js";
import { openChat, setPref } from "./state.js";
import { chosenLanguage, LANGUAGE, LANGUAGES, tr } from "./texts.js";
import { toast } from "./toast.js";
import { go } from "./views.js";

/** A choice of languages, the given one chosen. */
function languages(chosen) {
  const codes = chosen in LANGUAGES ? LANGUAGES : { ...LANGUAGES, [chosen]: chosen };
  return Object.entries(codes).map(([code, name]) => h("option", { value: code, selected: code === chosen }, name));
}

/** Asks for a name and a language, and opens the new person's chat. */
export function addPerson() {
  const name = h("input", { name: "name", required: true, maxLength: 40, autocomplete: "off", dir: "auto" });
  const language = h("select", { name: "language" }, languages(LANGUAGE));
  ask(tr("page-add-person"), tr("dashboard-add"), [h("label", {}, tr("page-first-name"), name), h("label", {}, tr("page-app-language"), language)], async () => {
    const person = await net.addPerson({ name: name.value, language: language.value });
    setPref("current", person.id);
    openChat(person.id);
    go("chat");
  });
}

/** The language of a person's app, as a choice. */
export function languageChoice(person) {
  const select = h("select", { "aria-label": tr("page-app-language"), title: tr("page-app-language") }, languages(person.language_code));
  select.addEventListener("change", () => attempt(() => net.chooseLanguage(person.id, select.value)));
  return h("label", { class: "language" }, select);
}

/** The language of the page itself, as a choice; the page is drawn anew in it. */
export function pageLanguageChoice() {
  const auto = h("option", { value: "", selected: !chosenLanguage }, tr("page-language-auto", { language: LANGUAGES[LANGUAGE] }));
  const select = h("select", { "aria-label": tr("dashboard-set-language"), title: tr("dashboard-set-language") }, auto, chosenLanguage ? languages(chosenLanguage) : Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code }, name)));
  select.addEventListener("change", () => { setPref("language", select.value); location.reload(); });
  return h("label", { class: "tool language" }, icon("globe"), select);
}

/** Gives everybody the page's language where nobody has chosen one yet: a newcomer is answered in their own. */
export async function welcome(about, people) {
  if (!about.is_fresh || LANGUAGE === "en") return;
  for (const person of people) await net.chooseLanguage(person.id, LANGUAGE);
}

/** Asks once more, then empties a chat and what is remembered of it. */
export function startOver(chat, title) {
  ask(`${tr("page-start-over")}: ${title}`, tr("page-start-over"), [h("p", { class: "hint" }, tr("page-start-over-hint"))], () => net.startOver(chat.id));
}

function ask(title, yes, fields, act) {
  const box = byId("asking");
  const form = h("form", { method: "dialog", on: { submit: () => attempt(act) } },
    h("h2", { id: "asking-title" }, title), ...fields,
    h("div", { class: "asking-buttons" },
      h("button", { type: "button", on: { click: () => box.close() } }, tr("dashboard-cancel")), h("button", { type: "submit" }, yes)));
  box.replaceChildren(form);
  box.showModal();
}

async function attempt(act) {
  try {
    await act();
  } catch (problem) {
    toast(problem instanceof net.Refused ? problem.message : tr("shared-failed"), { bad: true });
  }
}
