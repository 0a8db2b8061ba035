// What the page says, in the language of whoever looks at it: the texts come from the server, made from the files in
// which the bot's own stand. Other modules wait for this one, so that nothing is drawn without words.

import { speaking } from "./language.js";
import * as net from "./net.js";

/** Who looks, or the refusal of it. */
export const visit = await net.enter().catch((problem) => ({ refused: problem }));

const spoken = visit.spoken ?? (await net.texts(navigator.languages.join(",")));
const { language } = spoken;
net.speak(language);

export const { tr, has, counted, manner, sizeOf } = speaking(spoken);

const rough = manner(Intl.NumberFormat, { notation: "compact", maximumFractionDigits: 1 });

/** A number in few signs: 12K. */
export const roughly = (value) => rough.format(value);

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

// "May 4", with its year where that is another one; `more`: a clock time as well.
function written(name, at, more) {
  const isThisYear = dayKey(at).slice(0, 4) === dayKey(Date.now()).slice(0, 4);
  return dated(`${name}${isThisYear}`, { month: "long", day: "numeric", ...(isThisYear ? {} : { year: "numeric" }), ...more });
}

/** "May 4", with its year where that is another one. */
export const dateOf = (at) => written("day", at).format(new Date(at));

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
  const form = dayKey(first) === dayKey(last) ? written("moments", first, CLOCK)
    : dated("span", { year: "numeric", month: "short", day: "numeric" });
  return form.formatRange(new Date(first), new Date(last));
}

/** A moment on an axis whose dates are `step` milliseconds apart. */
export function axisDate(at, step) {
  if (step < 86_400_000) return dated("tick-clock", { day: "numeric", month: "short", ...CLOCK }).format(new Date(at));
  if (step < 27 * 86_400_000) return dated("tick-day", { day: "numeric", month: "short" }).format(new Date(at));
  return dated("tick-month", { month: "short", year: "numeric" }).format(new Date(at));
}

/** What a summary of this level is one of. */
export const kindOf = (level) => tr(`summaries-kind-${Math.min(level, 3)}`);
