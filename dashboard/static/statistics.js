// The statistics page: messages and tokens by day, tokens saved, answers that used the memory, and summaries. Each chart has a table
// with the same figures.

import { h } from "./dom.js";
import { read } from "./memory.js";
import { makeEmptyNote, makeTile } from "./parts.js";
import { formatNumber, nameLevel, makeFormatter, formatCompact, tr } from "./texts.js";

const SPANS = [30, 90, 365];
const DAY = 86_400;
const dollars = makeFormatter(Intl.NumberFormat, { style: "currency", currency: "USD", maximumFractionDigits: 2 });
const share = makeFormatter(Intl.NumberFormat, { style: "percent" });

const inDays = makeFormatter(Intl.NumberFormat, { style: "unit", unit: "day", unitDisplay: "long" });

let span = SPANS[0];

export const statistics = {
  async draw(root) {
    const figures = await read("statistics");
    const { counts, answers } = figures;
    root.append(h("dl", { class: "tiles" },
      makeTile(tr("dashboard-messages"), counts.total, tr("dashboard-stat-archived", { number: counts.archived })),
      makeTile(tr("dashboard-stat-summaries"), counts.summaries),
      makeTile(tr("dashboard-stat-saved"), formatCompact(figures.tokens_saved)),
      answers.explained ? makeTile(tr("dashboard-stat-earlier"), share.format(answers.with_earlier / answers.explained),
        tr("dashboard-stat-of-answers", { number: answers.explained })) : null,
      answers.explained ? makeTile(tr("dashboard-stat-facts"), share.format(answers.with_facts / answers.explained),
        tr("dashboard-stat-of-answers", { number: answers.explained })) : null,
      makeTile(tr("dashboard-stat-room"), figures.room === null ? "∞" : formatCompact(figures.room)),
      figures.cost["30"] !== null ? makeTile(tr("dashboard-stat-cost"), dollars.format(figures.cost["30"])) : null));
    if (!figures.days.length) return root.append(makeEmptyNote(tr("dashboard-messages-none")));
    const charts = h("div", { class: "charts" });
    const showCharts = () => charts.replaceChildren(...makeCharts(figures));
    const makeSpanButton = (days) => h("button", { type: "button", class: "button", "aria-pressed": String(days === span), on: { click: (event) => {
      span = days;
      for (const other of event.currentTarget.parentNode.children) other.setAttribute("aria-pressed",
        String(other === event.currentTarget));
      showCharts();
    } } }, inDays.format(days));
    root.append(h("div", { class: "spans", role: "group", "aria-label": tr("dashboard-stat-time") }, SPANS.map(makeSpanButton)), charts);
    showCharts();
    return appendFolds(root, figures.folds);
  },
};

function makeCharts({ days, usage }) {
  const messages = new Map(days.map(([day, count]) => [day, count]));
  const taken = new Map();
  const written = new Map();
  for (const spent of usage) {
    taken.set(spent.day, (taken.get(spent.day) ?? 0) + spent.prompt);
    written.set(spent.day, (written.get(spent.day) ?? 0) + spent.completion);
  }
  return [
    makeChart(tr("dashboard-stat-by-day"), [[tr("dashboard-messages"), messages, "--accent"]]),
    usage.length ? makeChart(tr("dashboard-stat-tokens"), [[tr("dashboard-stat-read"), taken, "--accent"],
      [tr("dashboard-stat-written"), written, "--second"]]) : "",
  ].filter(Boolean);
}

/** Create a chart. `series` is a list of [name, figures by day, colour]. */
function makeChart(title, series) {
  const today = Math.floor(Date.now() / 1000 / DAY) * DAY;
  const days = Array.from({ length: span }, (_, index) => today - (span - 1 - index) * DAY);
  const keys = days.map((day) => new Date(day * 1000).toISOString().slice(0, 10));
  const columns = series.map(([, figures]) => keys.map((key) => figures.get(key) ?? 0));
  const date = makeFormatter(Intl.DateTimeFormat, { month: "short", day: "numeric", timeZone: "UTC" });
  const most = Math.max(4, ...columns.flat());
  const named = [0, 1 / 3, 2 / 3].map((from) => [from, days[Math.round(from * span)]]);
  const bars = keys.map((_, day) => h("div", { class: "column" }, columns.map((column, index) =>
    h("i", { vars: { "--share": String(column[day] / most), "--dot": `var(${series[index][2]})` } }))));
  const picture = h("div", { class: "plot", "aria-hidden": "true" }, h("span", {}, formatCompact(most)), h("div", { class: "columns" }, bars),
    h("div", { class: "dates" },
      named.map(([from, at]) => h("span", { vars: { "--from": String(from) } }, date.format(new Date(at * 1000))))));
  const rows = keys.map((key, index) => [date.format(new Date(days[index] * 1000)),
    ...columns.map((column) => column[index])]).filter(([, ...all]) => all.some(Boolean)).reverse().slice(0, 100);
  return h("section", { class: "card chart" }, h("h3", {}, title),
    series.length > 1 ? h("p", { class: "legend", "aria-hidden": "true" },
      series.map(([name, , line]) => h("span", {}, h("i", { class: "dot", vars: { "--dot": `var(${line})` } }), name))) : null,
    picture, h("details", {}, h("summary", {}, tr("dashboard-stat-table")),
      makeTable(title, [tr("dashboard-stat-day"), ...series.map(([name]) => name)], rows)));
}

const makeTable = (title, head, rows) => h("div", { class: "table", role: "region", tabIndex: 0, "aria-label": title }, h("table", {},
  h("thead", {}, h("tr", {}, head.map((heading) => h("th", { scope: "col" }, heading)))),
  h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first),
    rest.map((cell) => h("td", {}, typeof cell === "number" ? formatNumber(cell) : cell)))))));

function appendFolds(root, made) {
  if (!made.length) return;
  const seconds = makeFormatter(Intl.NumberFormat, { style: "unit", unit: "second", maximumFractionDigits: 1 });
  const rows = made.slice(-30).reverse().map((fold) => [`${fold.day} · ${nameLevel(fold.level)} × ${fold.count}`, fold.tokens_in,
    fold.tokens_out, seconds.format(fold.milliseconds / 1000)]);
  root.append(h("section", { class: "card" }, h("h3", {}, tr("dashboard-stat-folds")),
    makeTable(tr("dashboard-stat-folds"), [tr("dashboard-stat-day"), tr("dashboard-stat-read"), tr("dashboard-stat-written"),
    tr("dashboard-stat-time")], rows)));
}
