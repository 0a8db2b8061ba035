// A calendar with links to the days that have messages.

import { h } from "./dom.js";
import { read } from "./memory.js";
import { addMonths, splitIntoWeeks } from "./months.js";
import { attempt, makeRoundButton } from "./parts.js";
import { replaceContent } from "./swap.js";
import { formatDayKey, makeFormatter, tr } from "./texts.js";

const DAY = 86_400_000;
const titleOf = makeFormatter(Intl.DateTimeFormat, { month: "long", year: "numeric", timeZone: "UTC" });
const weekday = makeFormatter(Intl.DateTimeFormat, { weekday: "narrow", timeZone: "UTC" });
const full = makeFormatter(Intl.DateTimeFormat, { dateStyle: "long", timeZone: "UTC" });

/** Return a calendar that is loaded when it is unfolded. `openDay(day)` opens a day, and the calendar makes room for it. */
export function makeCalendar(openDay) {
  const place = h("div", { class: "months" });
  const fold = h("details", { class: "calendar" }, h("summary", {}, tr("dashboard-calendar")), place);
  let days = null; // messages by day
  const chooseDay = (day) => { fold.open = false; fold.querySelector("summary").focus(); openDay(day); };
  const showMonth = (month) => replaceContent(place, makeMonth(month, days, showMonth, chooseDay));
  fold.addEventListener("toggle", () => fold.open && attempt(async () => {
    days = new Map((await read("days")).days);
    showMonth(([...days.keys()].at(-1) ?? formatDayKey(Date.now())).slice(0, 7));
  }));
  return fold;
}

function makeMonth(month, days, showMonth, chooseDay) {
  const known = [...days.keys()].map((day) => day.slice(0, 7));
  const makeStepButton = (symbol, label, by) => {
    const isEnd = by < 0 ? month <= (known[0] ?? month) : month >= (known.at(-1) ?? month);
    const button = makeRoundButton(symbol, label, () => isEnd || showMonth(addMonths(month, by)));
    button.ariaDisabled = String(isEnd); // disabled, it would lose the focus
    return button;
  };
  const most = Math.max(1, ...days.values());
  // 5 January 1970 was a Monday
  const names = Array.from({ length: 7 }, (_, index) => h("th", { scope: "col" }, weekday.format(new Date(4 * DAY + index * DAY))));
  const makeCell = (day) => {
    const count = day ? days.get(day) : 0;
    if (!count) return h("td", {}, day ? String(Number(day.slice(8))) : "");
    const label = `${full.format(new Date(`${day}T00:00:00Z`))}: ${tr("shared-messages", { messages: count })}`;
    const share = String(Math.sqrt(count / most));
    return h("td", {}, h("button", { type: "button", "aria-label": label, title: label, vars: { "--share": share },
      on: { click: () => chooseDay(day) } }, String(Number(day.slice(8)))));
  };
  return h("div", { class: "month" },
    h("div", { class: "month-head" }, makeStepButton("before", tr("dashboard-back"), -1),
      h("b", { "aria-live": "polite" }, titleOf.format(new Date(`${month}-01T00:00:00Z`))), makeStepButton("after", tr("dashboard-next"), 1)),
    h("table", {}, h("thead", {}, h("tr", {}, names)), h("tbody", {}, splitIntoWeeks(month).map((week) => h("tr", {}, week.map(makeCell))))));
}
