// What the page says, in the language of whoever looks at it: the texts come from the server, made from the files in
// which the bot's own stand. Other modules wait for this one, so that nothing is drawn without words.

import { makeFormatters } from "./dashboard/language.js";
import { loadPrefs } from "./prefs.js";

const PAUSE = 1000; // milliseconds until a server that did not answer is asked again

/** The language chosen on the page, "" for the browser's. */
export const chosenLanguage = loadPrefs().language;

const spoken = await fetched();

/** Codes of the languages that there are, and what each calls itself. */
export const LANGUAGES = spoken.languages;
/** The code of the page's language. */
export const LANGUAGE = spoken.language;

export const { tr, formatNumber: counted, makeFormatter: manner, formatSize: sizeOf } = makeFormatters(spoken);

const list = manner(Intl.ListFormat, {});
document.title = tr("page-title");

/** Several names in one phrase, with the commas and the "and" of the language. */
export const listed = (names) => list.format(names);

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
