// Figures: messages and tokens by day, what memory saved, which answers used it, folds, and what is left for today.
// Each picture has a table that says the same.

import { h } from "./dom.js";
import { read } from "./memory.js";
import { empty, tile } from "./parts.js";
import { counted, kindOf, manner, roughly, tr } from "./texts.js";

const SPANS = [30, 90, 365];
const DAY = 86_400;
const dollars = manner(Intl.NumberFormat, { style: "currency", currency: "USD", maximumFractionDigits: 2 });
const share = manner(Intl.NumberFormat, { style: "percent" });

const inDays = manner(Intl.NumberFormat, { style: "unit", unit: "day", unitDisplay: "long" });

let span = SPANS[0];

export const statistics = {
  async draw(root) {
    const figures = await read("statistics");
    const { counts, answers } = figures;
    root.append(h("dl", { class: "tiles" },
      tile(tr("dashboard-messages"), counts.total, tr("dashboard-stat-archived", { number: counts.archived })),
      tile(tr("dashboard-stat-summaries"), counts.summaries),
      tile(tr("dashboard-stat-saved"), roughly(figures.tokens_saved)),
      answers.explained ? tile(tr("dashboard-stat-earlier"), share.format(answers.with_earlier / answers.explained),
        tr("dashboard-stat-of-answers", { number: answers.explained })) : null,
      answers.explained ? tile(tr("dashboard-stat-facts"), share.format(answers.with_facts / answers.explained),
        tr("dashboard-stat-of-answers", { number: answers.explained })) : null,
      tile(tr("dashboard-stat-room"), figures.room === null ? "∞" : roughly(figures.room)),
      figures.cost["30"] !== null ? tile(tr("dashboard-stat-cost"), dollars.format(figures.cost["30"])) : null));
    if (!figures.days.length) return root.append(empty(tr("dashboard-messages-none")));
    const charts = h("div", { class: "charts" });
    const show = () => charts.replaceChildren(...chartsOf(figures));
    const choose = (days) => h("button", { type: "button", class: "button", "aria-pressed": String(days === span), on: { click: (event) => {
      span = days;
      for (const other of event.currentTarget.parentNode.children) other.setAttribute("aria-pressed",
        String(other === event.currentTarget));
      show();
    } } }, inDays.format(days));
    root.append(h("div", { class: "spans", role: "group", "aria-label": tr("dashboard-stat-time") }, SPANS.map(choose)), charts);
    show();
    return folds(root, figures.folds);
  },
};

function chartsOf({ days, usage }) {
  const messages = new Map(days.map(([day, count]) => [day, count]));
  const taken = new Map();
  const written = new Map();
  for (const one of usage) {
    taken.set(one.day, (taken.get(one.day) ?? 0) + one.prompt);
    written.set(one.day, (written.get(one.day) ?? 0) + one.completion);
  }
  return [
    chart(tr("dashboard-stat-by-day"), [[tr("dashboard-messages"), messages, "--accent"]]),
    usage.length ? chart(tr("dashboard-stat-tokens"), [[tr("dashboard-stat-read"), taken, "--accent"],
      [tr("dashboard-stat-written"), written, "--second"]]) : "",
  ].filter(Boolean);
}

/** `series`: [name, figures by day, colour] each. */
function chart(title, series) {
  const today = Math.floor(Date.now() / 1000 / DAY) * DAY;
  const days = Array.from({ length: span }, (_, index) => today - (span - 1 - index) * DAY);
  const keys = days.map((day) => new Date(day * 1000).toISOString().slice(0, 10));
  const columns = series.map(([, figures]) => keys.map((key) => figures.get(key) ?? 0));
  const date = manner(Intl.DateTimeFormat, { month: "short", day: "numeric", timeZone: "UTC" });
  const most = Math.max(4, ...columns.flat());
  const named = [0, 1 / 3, 2 / 3].map((from) => [from, days[Math.round(from * span)]]);
  const bars = keys.map((_, day) => h("div", { class: "column" }, columns.map((column, index) =>
    h("i", { vars: { "--share": String(column[day] / most), "--dot": `var(${series[index][2]})` } }))));
  const picture = h("div", { class: "plot", "aria-hidden": "true" }, h("span", {}, roughly(most)), h("div", { class: "columns" }, bars),
    h("div", { class: "dates" },
      named.map(([from, at]) => h("span", { vars: { "--from": String(from) } }, date.format(new Date(at * 1000))))));
  const rows = keys.map((key, index) => [date.format(new Date(days[index] * 1000)),
    ...columns.map((column) => column[index])]).filter(([, ...all]) => all.some(Boolean)).reverse().slice(0, 100);
  return h("section", { class: "card chart" }, h("h3", {}, title),
    series.length > 1 ? h("p", { class: "legend", "aria-hidden": "true" },
      series.map(([name, , line]) => h("span", {}, h("i", { class: "dot", vars: { "--dot": `var(${line})` } }), name))) : null,
    picture, h("details", {}, h("summary", {}, tr("dashboard-stat-table")),
      table(title, [tr("dashboard-stat-day"), ...series.map(([name]) => name)], rows)));
}

const table = (title, head, rows) => h("div", { class: "table", role: "region", tabIndex: 0, "aria-label": title }, h("table", {},
  h("thead", {}, h("tr", {}, head.map((one) => h("th", { scope: "col" }, one)))),
  h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first),
    rest.map((one) => h("td", {}, typeof one === "number" ? counted(one) : one)))))));

function folds(root, made) {
  if (!made.length) return;
  const seconds = manner(Intl.NumberFormat, { style: "unit", unit: "second", maximumFractionDigits: 1 });
  const rows = made.slice(-30).reverse().map((one) => [`${one.day} · ${kindOf(one.level)} × ${one.count}`, one.tokens_in,
    one.tokens_out, seconds.format(one.milliseconds / 1000)]);
  root.append(h("section", { class: "card" }, h("h3", {}, tr("dashboard-stat-folds")),
    table(tr("dashboard-stat-folds"), [tr("dashboard-stat-day"), tr("dashboard-stat-read"), tr("dashboard-stat-written"),
    tr("dashboard-stat-time")], rows)));
}
