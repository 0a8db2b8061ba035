// Names, times and sizes as elements and words; how elements are built is the dashboard's, which knows no texts.

import { h, makeIcon as icon, pickHue as hueOf } from "./dashboard/dom.js";
import { manner, tr } from "./texts.js";

export { byId, h, makeIcon as icon, pickHue as hueOf } from "./dashboard/dom.js";

/** A round picture of initials; its hue follows the id, so that a person keeps one colour everywhere. */
export function avatar(id, name, { bot = false } = {}) {
  if (bot) return h("span", { class: "avatar bot", "aria-hidden": "true" }, icon("memory"));
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = words.slice(0, 2).map((word) => [...word][0]).join("").toUpperCase() || "?";
  return h("span", { class: "avatar", "aria-hidden": "true", vars: { "--hue": hueOf(id) } }, letters);
}

const CLOCK = manner(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = manner(Intl.DateTimeFormat, { month: "long", day: "numeric" });
const DAY_YEAR = manner(Intl.DateTimeFormat, { month: "long", day: "numeric", year: "numeric" });
const FULL = manner(Intl.DateTimeFormat, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

export const clockOf = (date) => CLOCK.format(date);
export const fullDate = (date) => FULL.format(date);

/** "Today", "Yesterday", "May 4", or with its year when that is another one. */
export function dayOf(date, now = new Date()) {
  const days = daysAgo(date, now);
  return days === 0 ? tr("dashboard-today") : days === 1 ? tr("dashboard-yesterday") : dateOf(date, now);
}

export const isToday = (date) => daysAgo(date, new Date()) === 0;

/** "May 4", or with its year when that is another one. */
function dateOf(date, now = new Date()) {
  return (date.getFullYear() === now.getFullYear() ? DAY : DAY_YEAR).format(date);
}

const daysAgo = (date, now) => Math.round((startOfDay(now) - startOfDay(date)) / 86_400_000);

function startOfDay(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate());
}
