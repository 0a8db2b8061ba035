// What the page says, in the language of whoever looks at it: the texts come from the server, made from the files in
// which the bot's own stand. Other modules wait for this one, so that nothing is drawn without words.

import { loadPrefs } from "./prefs.js";

const PAUSE = 1000; // milliseconds until a server that did not answer is asked again

/** The language chosen on the page, "" for the browser's. */
export const chosenLanguage = loadPrefs().language;

const { language, languages, right_to_left: isRightToLeft, texts } = await fetched();

/** Codes of the languages that there are, and what each calls itself. */
export const LANGUAGES = languages;
/** The code of the page's language. */
export const LANGUAGE = language;

const LOCALE = `${language}-u-nu-latn`; // the digits that the bot writes
const plural = new Intl.PluralRules(LOCALE);
const number = new Intl.NumberFormat(LOCALE);
const list = new Intl.ListFormat(LOCALE);

document.documentElement.lang = language;
document.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
document.title = tr("page-title");
for (const element of document.querySelectorAll("[data-text]")) element.textContent = tr(element.dataset.text);
for (const element of document.querySelectorAll("[data-label]")) {
  element.setAttribute("aria-label", tr(element.dataset.label));
  if (element.matches("button")) element.title = tr(element.dataset.label);
}

/** A text with its arguments; numbers are written in the language's manner and choose the plural. */
export function tr(key, given = {}) {
  if (!(key in texts)) throw new Error(`There is no text ${key}.`);
  return shown(texts[key], given);
}


/** A number in the manner of the language. */
export const counted = (value) => number.format(value);

/** Several names in one phrase, with the commas and the "and" of the language. */
export const listed = (names) => list.format(names);

/** A formatter of dates or numbers in the manner of the language. */
export const manner = (Kind, options) => new Kind(LOCALE, options);

// A pattern is a text, or a list of texts, {argument} and {argument, cases}.
function shown(pattern, given) {
  if (typeof pattern === "string") return pattern;
  return pattern.map((part) => {
    if (typeof part === "string") return part;
    const value = given[part.argument];
    const written = part.cases ? shown(part.cases[plural.select(value)] ?? part.cases[part.other], given)
      : typeof value === "number" ? counted(value) : String(value);
    // What is put in may run the other way than the sentence around it.
    return isRightToLeft && pattern.length > 1 ? `\u2068${written}\u2069` : written;
  }).join("");
}

async function fetched() {
  const wanted = [chosenLanguage, ...navigator.languages].filter(Boolean).join(",");
  for (;;) {
    try {
      const answer = await fetch(`/api/texts?wanted=${encodeURIComponent(wanted)}`);
      if (answer.ok) return await answer.json();
    } catch {
      // The server is starting again: the page waits for it.
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
