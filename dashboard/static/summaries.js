// The summaries as a pyramid: level 1 below, as wide as what it covers, each higher level above what it was made from;
// it can be zoomed, and each opens down to its messages.

import { h, hueOf } from "./dom.js";
import { messageRow } from "./messages.js";
import { look, memory, read, write } from "./memory.js";
import { attempt, button, confirmed, empty, paged, pagerOf, roundButton, walkable } from "./parts.js";
import { counted, dateOf, kindOf, manner, spanOf, tr } from "./texts.js";

const MOST_ZOOM = 16;
const NARROWEST = 14; // pixels of a brick, so that a finger meets it
const percent = manner(Intl.NumberFormat, { style: "percent" });
const seconds = manner(Intl.NumberFormat, { style: "unit", unit: "second", maximumFractionDigits: 1 });

let zoom = 1;
let part = { here: "", befores: [undefined] }; // which of the summaries are shown: those after the last of these

export const summaries = {
  id: "summaries",
  async draw(root, { detail }) {
    const here = `${memory.owner}/${memory.thread}`;
    if (part.here !== here) part = { here, befores: [undefined] };
    let answer = await read("summaries", { before: part.befores.at(-1) });
    if (!answer.summaries.length && part.befores.length > 1) { // what it began after is gone
      part.befores = [undefined];
      answer = await read("summaries");
    }
    root.append(h("p", { class: "hint" }, tr("dashboard-summaries-about")), actions());
    if (!answer.summaries.length) return root.append(empty(tr("dashboard-summaries-none")));
    const place = h("div", { class: "summary-detail", "aria-live": "polite" });
    const chart = h("div", {});
    const turn = async (befores) => { part.befores = befores; draw(await read("summaries", { before: befores.at(-1) })); };
    const draw = ({ summaries: shown, total, has_more: hasMore }) => chart.replaceChildren(pyramidOf(shown, Number(detail)), total > shown.length ? pagerOf(
      part.befores.length > 1 ? () => turn(part.befores.slice(0, -1)) : null, hasMore ? () => turn([...part.befores, shown.at(-1).id]) : null,
      tr("search-so-far", { shown: shown.length, total })) : h("p", { class: "hint" }, tr("dashboard-summaries-active", { active: shown.filter((one) => one.is_active).length, total })));
    draw(answer);
    root.append(chart, place);
    return opened(place, Number(detail) || answer.summaries[0].id).catch((problem) => place.replaceChildren(empty(problem.message)));
  },
};

function actions() {
  const made = (name) => async () => { const answer = await write(`summaries/${name}`); await look(); return answer; };
  const fold = (pressed) => attempt(made("fold"), pressed);
  const rebuild = async (pressed) => { if (await confirmed(tr("dashboard-rebuild"), tr("dashboard-rebuild"), [h("p", { class: "hint" }, tr("dashboard-rebuild-hint"))])) await attempt(made("rebuild"), pressed); };
  return h("div", { class: "actions" }, memory.home.counts.active_turns ? button(tr("dashboard-fold"), fold) : null, button(tr("dashboard-rebuild"), rebuild));
}

/** Where each summary stands, in messages from the left: level 1 by time, the others above their sources. */
function spans(all) {
  const places = new Map();
  const known = new Map(all.map((one) => [one.id, one]));
  const ends = new Map();
  let end = 0;
  for (const one of [...all].sort((a, b) => a.level - b.level || a.first_at.localeCompare(b.first_at) || a.id - b.id)) {
    const sources = one.source_ids.filter((id) => places.has(id)).map((id) => places.get(id));
    const width = Math.max(1, Math.min(one.messages, 200));
    let from = sources.length ? Math.min(...sources.map((place) => place.from)) : Math.max(one.level === 1 ? end : 0, ends.get(one.level) ?? 0);
    from = Math.max(from, ends.get(one.level) ?? 0);
    const to = Math.max(sources.length ? Math.max(...sources.map((place) => place.to)) : 0, from + (sources.length ? 1 : width));
    places.set(one.id, { from, to });
    ends.set(one.level, to);
    if (one.level === 1) end = to;
  }
  return { places, known, width: Math.max(...ends.values()) };
}

function pyramidOf(all, chosen) {
  const { places, width } = spans(all);
  const levels = [...new Set(all.map((one) => one.level))].sort((a, b) => b - a);
  const most = Math.max(...levels.map((level) => all.filter((one) => one.level === level).length));
  const canvas = h("div", { class: "canvas" }, levels.map((level) => h("div", { class: "level", role: "group", "aria-label": kindOf(level) },
    h("span", { class: "level-name", "aria-hidden": "true" }, String(level)),
    all.filter((one) => one.level === level).sort((a, b) => places.get(a.id).from - places.get(b.id).from).map((one, index) => brickOf(one, places.get(one.id), width, one.id === chosen, index === 0)))));
  const frame = h("div", { class: "pyramid" }, canvas);
  walkable(canvas, "a.brick");
  const scale = (next, at = 0.5) => {
    const before = (Math.abs(frame.scrollLeft) + frame.clientWidth * at) / (canvas.offsetWidth || 1);
    zoom = Math.max(1, Math.min(MOST_ZOOM, next));
    canvas.style.setProperty("--zoom", String(zoom));
    frame.scrollLeft = (document.documentElement.dir === "rtl" ? -1 : 1) * (before * canvas.offsetWidth - frame.clientWidth * at);
    smaller.disabled = zoom === 1;
    larger.disabled = zoom === MOST_ZOOM;
  };
  const smaller = roundButton("minus", tr("dashboard-zoom-out"), () => scale(zoom / 1.6));
  const larger = roundButton("plus", tr("dashboard-zoom-in"), () => scale(zoom * 1.6));
  canvas.style.setProperty("--least", `${most * NARROWEST}px`);
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    scale(zoom * (event.deltaY < 0 ? 1.15 : 1 / 1.15), (event.clientX - frame.getBoundingClientRect().left) / frame.clientWidth);
  }, { passive: false });
  requestAnimationFrame(() => { scale(zoom); canvas.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); });
  return h("section", { class: "pyramid-frame" }, h("div", { class: "zoom" }, smaller, larger), frame,
    h("p", { class: "legend" }, h("span", {}, h("i", { class: "brick active" }), tr("dashboard-legend-active")), h("span", {}, h("i", { class: "brick" }), tr("dashboard-legend-part"))));
}

function brickOf(one, { from, to }, width, isChosen, isFirst) {
  const told = `${kindOf(one.level)} · ${headOf(one)}`;
  return h("a", {
    href: `#summaries/${one.id}`, class: one.is_active ? "brick active" : "brick", tabIndex: isFirst ? 0 : -1, title: told,
    "aria-current": isChosen ? "true" : null, "aria-label": told,
    vars: { "--from": String(from / width), "--share": String((to - from) / width) },
  }, h("span", {}, counted(one.messages)));
}

async function opened(place, id) {
  const { summary, sources, messages, above } = await read("summary", { id });
  place.replaceChildren(
    h("article", { class: "card summary", vars: { "--hue": hueOf(summary.id) } },
      h("header", {}, h("h3", {}, kindOf(summary.level)), h("p", { class: "hint" }, headOf(summary))),
      h("div", { class: "prose" }, summary.text.split("\n").map((line) => h("p", { dir: "auto" }, line))),
      h("details", {}, h("summary", {}, tr("why-details")), costOf(summary), summary.base_id !== null ? h("p", { class: "hint" }, h("a", { href: `#summaries/${summary.base_id}` }, tr("dashboard-version-before"))) : null)),
    ...[
      above.length ? linksTo(tr("dashboard-part-of"), above) : null,
      sources.length ? linksTo(tr("dashboard-made-from"), sources) : null,
      messages.length ? h("section", { class: "covered" }, h("h3", {}, tr("dashboard-messages")), paged(messages, (rows) => h("div", {}, rows.map((message) => messageRow(message, { when: dateOf(message.at) }))))) : null,
    ].filter(Boolean));
}

const linksTo = (title, those) => h("section", { class: "covered" }, h("h3", {}, title), paged(those, (rows) => h("ul", { class: "cards" }, rows.map((one) =>
  h("li", { class: "card" }, h("p", { class: "text clamp", dir: "auto" }, one.text), h("p", { class: "hint" }, h("a", { href: `#summaries/${one.id}` }, `${kindOf(one.level)} · ${spanOf(one.first_at, one.last_at)}`)))))));

const headOf = (one) => [tr("shared-messages", { messages: one.messages }), spanOf(one.first_at, one.last_at), tr(one.is_active ? "dashboard-legend-active" : "dashboard-legend-part")].join(" · ");

function costOf({ score, model, milliseconds, tokens_in: read, tokens_out: written }) {
  const figures = [score !== null && tr("dashboard-checked", { score: percent.format(score) }), model, read && tr("dashboard-tokens-made", { read, written }), milliseconds && seconds.format(milliseconds / 1000)];
  return h("p", { class: "hint" }, figures.filter(Boolean).join(" · "));
}
