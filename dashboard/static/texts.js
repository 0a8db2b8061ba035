// What the page says, in the language of whoever looks at it: the texts come from the server, made from the files in
// which the bot's own stand. Other modules wait for this one, so that nothing is drawn without words.

import * as net from "./net.js";

/** Who looks, or the refusal of it. */
export const visit = await net.enter().catch((problem) => ({ refused: problem }));

const { language, languages, right_to_left: isRightToLeft, texts } = await net.texts(visit.language || navigator.languages.join(","));

/** Codes of the languages that there are, and what each calls itself. */
export const LANGUAGES = languages;

const LOCALE = `${language}-u-nu-latn`; // the digits that the bot writes
const plural = new Intl.PluralRules(LOCALE);

net.speak(language);
document.documentElement.lang = language;
document.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
for (const element of document.querySelectorAll("[data-text]")) element.textContent = tr(element.dataset.text);
for (const element of document.querySelectorAll("[data-label]")) element.setAttribute("aria-label", tr(element.dataset.label));

/** A text with its arguments; numbers are written in the language's manner and choose the plural. */
export function tr(key, given = {}) {
  if (!(key in texts)) throw new Error(`There is no text ${key}.`);
  return shown(texts[key], given);
}

/** Whether there is such a text: names that the server sends may be newer than the page. */
export const has = (key) => key in texts;

/** A formatter of dates or numbers in the manner of the language. */
export const manner = (Kind, options) => new Kind(LOCALE, options);

const number = manner(Intl.NumberFormat, {});
const rough = manner(Intl.NumberFormat, { notation: "compact", maximumFractionDigits: 1 });

/** A number in the manner of the language. */
export const counted = (value) => number.format(value);

/** A number in few signs: 12K. */
export const roughly = (value) => rough.format(value);

/** Bytes as people read them. */
export function sizeOf(bytes) {
  const [size, unit] = bytes < 1000 ? [bytes, "byte"] : bytes < 1_000_000 ? [bytes / 1000, "kilobyte"] : [bytes / 1_000_000, "megabyte"];
  return manner(Intl.NumberFormat, { style: "unit", unit, maximumFractionDigits: 1 }).format(size);
}

let zone = "UTC";
let keys = null;
const made = new Map();

/** Says in which zone days begin and clocks run: the owner's. */
export function liveIn(name) {
  if (name === zone) return;
  made.clear();
  keys = null;
  zone = name;
}

function dated(name, options) {
  if (!made.has(name)) made.set(name, manner(Intl.DateTimeFormat, { ...options, timeZone: zone }));
  return made.get(name);
}

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** "2026-11-23", the day on which something was said where its owner lives. */
export function dayKey(at) {
  keys ??= new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
  return keys.format(new Date(at));
}

export const clockOf = (at) => dated("clock", CLOCK).format(new Date(at));
export const fullDate = (at) => dated("full", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }).format(new Date(at));

/** "May 4", with its year where that is another one. */
export function dateOf(at) {
  const isThisYear = dayKey(at).slice(0, 4) === dayKey(Date.now()).slice(0, 4);
  return dated(`day${isThisYear}`, { month: "long", day: "numeric", ...(isThisYear ? {} : { year: "numeric" }) }).format(new Date(at));
}

/** "Today", "Yesterday", or the weekday and the date. */
export function dayOf(at) {
  const key = dayKey(at);
  if (key === dayKey(Date.now())) return tr("dashboard-today");
  if (key === dayKey(Date.now() - 86_400_000)) return tr("dashboard-yesterday");
  return `${dated("weekday", { weekday: "long" }).format(new Date(at))}, ${dateOf(at)}`;
}

/** From when to when, in as few words as it takes. */
export function spanOf(first, last) {
  if (!first || !last) return "";
  return dayKey(first) === dayKey(last) ? `${dateOf(first)}, ${clockOf(first)} – ${clockOf(last)}` : dated("span", { year: "numeric", month: "short", day: "numeric" }).formatRange(new Date(first), new Date(last));
}

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
