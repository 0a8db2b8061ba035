// Months with the days on which something was said, which lead there.

import { h } from "./dom.js";
import { read } from "./memory.js";
import { monthAfter, weeksOf } from "./months.js";
import { attempt, roundButton } from "./parts.js";
import { dayKey, manner, tr } from "./texts.js";

const DAY = 86_400_000;
const titleOf = manner(Intl.DateTimeFormat, { month: "long", year: "numeric", timeZone: "UTC" });
const weekday = manner(Intl.DateTimeFormat, { weekday: "narrow", timeZone: "UTC" });
const full = manner(Intl.DateTimeFormat, { dateStyle: "long", timeZone: "UTC" });

/** A fold with a calendar, which is read once it is opened; `act(day)` goes to one. */
export function calendar(act) {
  const place = h("div", { class: "months" });
  const fold = h("details", { class: "calendar" }, h("summary", {}, tr("dashboard-calendar")), place);
  let days = null; // messages by day
  const show = (month) => place.replaceChildren(monthOf(month, days, show, act));
  fold.addEventListener("toggle", () => fold.open && attempt(async () => {
    days = new Map((await read("days")).days);
    show(([...days.keys()].at(-1) ?? dayKey(Date.now())).slice(0, 7));
  }));
  return fold;
}

function monthOf(month, days, show, act) {
  const known = [...days.keys()].map((day) => day.slice(0, 7));
  const step = (symbol, label, by) => {
    const button = roundButton(symbol, label, () => show(monthAfter(month, by)));
    button.disabled = by < 0 ? month <= (known[0] ?? month) : month >= (known.at(-1) ?? month);
    return button;
  };
  const most = Math.max(1, ...days.values());
  // the fifth of January 1970 was a Monday
  const names = Array.from({ length: 7 }, (_, index) => h("th", { scope: "col" }, weekday.format(new Date(4 * DAY + index * DAY))));
  const cell = (day) => {
    const count = day ? days.get(day) : 0;
    if (!count) return h("td", {}, day ? String(Number(day.slice(8))) : "");
    const label = `${full.format(new Date(`${day}T00:00:00Z`))}: ${tr("shared-messages", { messages: count })}`;
    const share = String(Math.sqrt(count / most));
    return h("td", {}, h("button", { type: "button", "aria-label": label, title: label, vars: { "--share": share },
      on: { click: () => act(day) } }, String(Number(day.slice(8)))));
  };
  return h("div", { class: "month" },
    h("div", { class: "month-head" }, step("before", tr("dashboard-back"), -1),
      h("b", { "aria-live": "polite" }, titleOf.format(new Date(`${month}-01T00:00:00Z`))), step("after", tr("dashboard-next"), 1)),
    h("table", {}, h("thead", {}, h("tr", {}, names)), h("tbody", {}, weeksOf(month).map((week) => h("tr", {}, week.map(cell))))));
}
