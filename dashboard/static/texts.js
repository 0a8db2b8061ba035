// Texts, numbers and dates in the person's language and time zone. The texts come from the server with the session. Other modules wait
// for this one, so that nothing is drawn without texts.

import { makeFormatters } from "./language.js";
import * as net from "./net.js";

/** The session of the person, or {refused: the error}. */
export const visit = await net.enterPage().catch((problem) => ({ refused: problem }));

const spoken = visit.spoken ?? (await net.getTexts(navigator.languages.join(",")));
const { language } = spoken;
net.setLanguage(language);

export const { tr, hasText, formatNumber, makeFormatter, formatSize } = makeFormatters(spoken);

const rough = makeFormatter(Intl.NumberFormat, { notation: "compact", maximumFractionDigits: 1 });

/** Format a number in compact form, such as 12K. */
export const formatCompact = (value) => rough.format(value);

let zone = "UTC";
let keys = null;
const made = new Map();

/** Set the time zone for dates, which is the owner's. */
export function setTimeZone(name) {
  if (name === zone) return;
  made.clear();
  keys = null;
  zone = name;
}

function getDateFormatter(name, options) {
  if (!made.has(name)) made.set(name, makeFormatter(Intl.DateTimeFormat, { ...options, timeZone: zone }));
  return made.get(name);
}

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** Return the day of a moment in the owner's time zone, such as "2026-11-23". */
export function formatDayKey(at) {
  keys ??= new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
  return keys.format(new Date(at));
}

export const formatClock = (at) => getDateFormatter("clock", CLOCK).format(new Date(at));
export const formatFullDate = (at) => getDateFormatter("full", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }).format(new Date(at));

// For "May 4", with the year unless it is this year. `more` are further options, such as a time.
function getDayFormatter(name, at, more) {
  const isThisYear = formatDayKey(at).slice(0, 4) === formatDayKey(Date.now()).slice(0, 4);
  return getDateFormatter(`${name}${isThisYear}`, { month: "long", day: "numeric", ...(isThisYear ? {} : { year: "numeric" }), ...more });
}

/** Format a date as "May 4", with the year unless it is this year. */
export const formatDate = (at) => getDayFormatter("day", at).format(new Date(at));

/** Format a day as "Today", "Yesterday", or its weekday and date. */
export function formatDay(at) {
  const key = formatDayKey(at);
  if (key === formatDayKey(Date.now())) return tr("dashboard-today");
  if (key === formatDayKey(Date.now() - 86_400_000)) return tr("dashboard-yesterday");
  return `${getDateFormatter("weekday", { weekday: "long" }).format(new Date(at))}, ${formatDate(at)}`;
}

/** Format a range of dates, or of times on one day. */
export function formatSpan(first, last) {
  if (!first || !last) return "";
  const form = formatDayKey(first) === formatDayKey(last) ? getDayFormatter("moments", first, CLOCK)
    : getDateFormatter("span", { year: "numeric", month: "short", day: "numeric" });
  return form.formatRange(new Date(first), new Date(last));
}

/** Format a moment on an axis whose dates are `step` milliseconds apart. */
export function formatAxisDate(at, step) {
  if (step < 86_400_000) return getDateFormatter("tick-clock", { day: "numeric", month: "short", ...CLOCK }).format(new Date(at));
  if (step < 27 * 86_400_000) return getDateFormatter("tick-day", { day: "numeric", month: "short" }).format(new Date(at));
  return getDateFormatter("tick-month", { month: "short", year: "numeric" }).format(new Date(at));
}

/** Return the name of summaries of this level. */
export const nameLevel = (level) => tr(`summaries-kind-${Math.min(level, 3)}`);
