// Figures: messages and tokens by day, what memory saved, which answers used it, folds, and what is left for today.
// The pictures are uPlot's; each has a table that says the same.

import { h } from "./dom.js";
import { read } from "./memory.js";
import { empty, tile } from "./parts.js";
import { counted, kindOf, manner, roughly, tr } from "./texts.js";

const SPANS = [30, 90, 365];
const HEIGHT = 200;
const DAY = 86_400;
const dollars = manner(Intl.NumberFormat, { style: "currency", currency: "USD", maximumFractionDigits: 2 });
const share = manner(Intl.NumberFormat, { style: "percent" });

const inDays = manner(Intl.NumberFormat, { style: "unit", unit: "day", unitDisplay: "long" });

let span = SPANS[0];

export const statistics = {
  async draw(root) {
    const [figures] = await Promise.all([read("statistics"), uPlot()]);
    const { counts, answers } = figures;
    root.append(h("dl", { class: "tiles" },
      tile(tr("dashboard-messages"), counts.total, tr("dashboard-stat-archived", { number: counts.archived })),
      tile(tr("dashboard-stat-summaries"), counts.summaries),
      tile(tr("dashboard-stat-saved"), roughly(figures.tokens_saved)),
      answers.explained ? tile(tr("dashboard-stat-earlier"), share.format(answers.with_earlier / answers.explained), tr("dashboard-stat-of-answers", { number: answers.explained })) : null,
      answers.explained ? tile(tr("dashboard-stat-facts"), share.format(answers.with_facts / answers.explained), tr("dashboard-stat-of-answers", { number: answers.explained })) : null,
      tile(tr("dashboard-stat-room"), figures.room === null ? "∞" : roughly(figures.room)),
      figures.cost["30"] !== null ? tile(tr("dashboard-stat-cost"), dollars.format(figures.cost["30"])) : null));
    if (!figures.days.length) return root.append(empty(tr("dashboard-messages-none")));
    const charts = h("div", { class: "charts" });
    const show = () => charts.replaceChildren(...chartsOf(figures));
    const choose = (days) => h("button", { type: "button", class: "button", "aria-pressed": String(days === span), on: { click: (event) => {
      span = days;
      for (const other of event.currentTarget.parentNode.children) other.setAttribute("aria-pressed", String(other === event.currentTarget));
      show();
    } } }, inDays.format(days));
    root.append(h("div", { class: "spans", role: "group", "aria-label": tr("dashboard-stat-time") }, SPANS.map(choose)), charts);
    show();
    return folds(root, figures.folds);
  },
};

function chartsOf({ days, usage }) {
  const messages = new Map(days.map(([day, count]) => [day, count]));
  const read = new Map();
  const written = new Map();
  for (const one of usage) {
    read.set(one.day, (read.get(one.day) ?? 0) + one.prompt);
    written.set(one.day, (written.get(one.day) ?? 0) + one.completion);
  }
  return [
    chart(tr("dashboard-stat-by-day"), [[tr("dashboard-messages"), messages, "--accent"]]),
    usage.length ? chart(tr("dashboard-stat-tokens"), [[tr("dashboard-stat-read"), read, "--accent"], [tr("dashboard-stat-written"), written, "--second"]]) : "",
  ].filter(Boolean);
}

/** `series`: [name, figures by day, colour] each. */
function chart(title, series) {
  const today = Math.floor(Date.now() / 1000 / DAY) * DAY;
  const days = Array.from({ length: span }, (_, index) => today - (span - 1 - index) * DAY);
  const keys = days.map((day) => new Date(day * 1000).toISOString().slice(0, 10));
  const columns = series.map(([, figures]) => keys.map((key) => figures.get(key) ?? 0));
  const picture = h("div", { class: "plot", "aria-hidden": "true" });
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const date = manner(Intl.DateTimeFormat, { month: "short", day: "numeric", timeZone: "UTC" });
  const axis = { stroke: colour("--ink-2"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const options = {
    width: 300, height: HEIGHT, padding: [12, 8, 0, 0], cursor: { y: false, drag: { x: false, y: false } }, legend: { show: false },
    tzDate: (at) => window.uPlot.tzDate(new Date(at * 1000), "UTC"),
    // Half a day more at both ends, or the first and the last bar would be cut.
    scales: { x: { range: [days[0] - DAY / 2, today + DAY / 2] }, y: { range: (_, __, most) => [0, Math.max(most * 1.1, 4)] } },
    axes: [{ ...axis, grid: { show: false }, space: 70, size: 30, values: (_, at) => at.map((one) => date.format(new Date(one * 1000))) }, { ...axis, size: 52, values: (_, at) => at.map((one) => (Number.isInteger(one) ? roughly(one) : "")) }],
    series: [{}, ...series.map(([name, , line]) => ({ label: name, stroke: colour(line), fill: colour(line), width: 0, points: { show: false }, paths: window.uPlot.paths.bars({ size: [0.7, 28], radius: 0.2 }) }))],
  };
  let plot = null;
  new ResizeObserver(() => {
    if (!picture.clientWidth) return;
    if (plot) plot.setSize({ width: picture.clientWidth, height: HEIGHT });
    else plot = new window.uPlot({ ...options, width: picture.clientWidth }, [days, ...columns], picture);
  }).observe(picture);
  const rows = keys.map((key, index) => [date.format(new Date(days[index] * 1000)), ...columns.map((column) => column[index])]).filter(([, ...all]) => all.some(Boolean)).reverse().slice(0, 100);
  return h("section", { class: "card chart" }, h("h3", {}, title),
    series.length > 1 ? h("p", { class: "legend", "aria-hidden": "true" }, series.map(([name, , line]) => h("span", {}, h("i", { class: "dot", vars: { "--dot": `var(${line})` } }), name))) : null,
    picture, h("details", {}, h("summary", {}, tr("dashboard-stat-table")), table(title, [tr("dashboard-stat-day"), ...series.map(([name]) => name)], rows)));
}

const table = (title, head, rows) => h("div", { class: "table", role: "region", tabIndex: 0, "aria-label": title }, h("table", {},
  h("thead", {}, h("tr", {}, head.map((one) => h("th", { scope: "col" }, one)))),
  h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), rest.map((one) => h("td", {}, typeof one === "number" ? counted(one) : one)))))));

function folds(root, made) {
  if (!made.length) return;
  const seconds = manner(Intl.NumberFormat, { style: "unit", unit: "second", maximumFractionDigits: 1 });
  const rows = made.slice(-30).reverse().map((one) => [`${one.day} · ${kindOf(one.level)} × ${one.count}`, one.tokens_in, one.tokens_out, seconds.format(one.milliseconds / 1000)]);
  root.append(h("section", { class: "card" }, h("h3", {}, tr("dashboard-stat-folds")), table(tr("dashboard-stat-folds"), [tr("dashboard-stat-day"), tr("dashboard-stat-read"), tr("dashboard-stat-written"), tr("dashboard-stat-time")], rows)));
}

let loading = null;

/** The chart library, once somebody looks at a chart. */
function uPlot() {
  loading ??= new Promise((resolve, reject) => {
    document.head.append(h("link", { rel: "stylesheet", href: "./static/vendor/uPlot.css" }), h("script", { src: "./static/vendor/uPlot.js", on: { load: resolve, error: reject } }));
  });
  return loading;
}
