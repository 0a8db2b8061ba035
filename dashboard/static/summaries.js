// The summaries on one axis of time: each level over the same dates, as wide as the time it covers. It can be zoomed and
// moved; each summary opens down to its messages.

import { SHORTEST, clampSpan, domainOf, kinOf, levelsOf, ticksOf, zoomSpan } from "./axis.js";
import { h, hueOf } from "./dom.js";
import { messageRow } from "./messages.js";
import { look, memory, read, write } from "./memory.js";
import { asked, attempt, button, confirmed, empty, paged, roundButton, walkable } from "./parts.js";
import { hold, swap } from "./swap.js";
import { axisDate, counted, dateOf, kindOf, manner, spanOf, tr } from "./texts.js";

const NARROWEST = 16; // pixels of a piece, so that a finger meets it
const TICK = 92; // pixels that a date takes
const STEP = 1.6; // by which a press zooms
const percent = manner(Intl.NumberFormat, { style: "percent" });
const seconds = manner(Intl.NumberFormat, { style: "unit", unit: "second", maximumFractionDigits: 1 });

// What of which conversation is seen; it stays while somebody looks from one summary to the next.
const state = { here: "", span: null };

export const summaries = {
  async draw(root, { detail }) {
    const here = `${memory.owner}/${memory.thread}`;
    if (state.here !== here) Object.assign(state, { here, span: null });
    const { summaries: all } = await read("summaries");
    root.append(h("p", { class: "hint" }, tr("dashboard-summaries-about")), actions());
    if (!all.length) return root.append(empty(tr("dashboard-summaries-none")));
    const newest = [...all].sort((a, b) => b.is_active - a.is_active || b.level - a.level || b.id - a.id)[0];
    const chosen = Number(detail) || newest.id;
    const place = h("div", { class: "summary-detail", "aria-live": "polite" });
    root.append(axisOf(all, chosen),
      h("p", { class: "hint" }, tr("dashboard-summaries-active",
        { active: all.filter((one) => one.is_active).length, total: all.length })), place);
    return opened(place, chosen).catch((problem) => place.replaceChildren(empty(problem.message || tr("shared-failed"))));
  },
};

function actions() {
  const made = (name) => async () => { const answer = await write(`summaries/${name}`); await look(); return answer; };
  const fold = (pressed) => attempt(made("fold"), pressed);
  const rebuild = async (pressed) => { if (await confirmed(tr("dashboard-rebuild"), tr("dashboard-rebuild"),
    [h("p", { class: "hint" }, tr("dashboard-rebuild-hint"))])) await attempt(made("rebuild"), pressed); };
  return h("div", { class: "actions" }, memory.home.counts.active_turns ? button(tr("dashboard-fold"), fold) : null,
    button(tr("dashboard-rebuild"), rebuild));
}

function axisOf(all, chosen) {
  const domain = domainOf(all);
  const kin = kinOf(all, chosen);
  const span = () => clampSpan(state.span ?? domain, domain);
  const canvas = h("div", { class: "canvas" });
  const draw = () => {
    const width = canvas.clientWidth || 300;
    const [from, to] = span();
    const giveBack = hold(canvas);
    const { step, ticks } = ticksOf([from, to], Math.max(2, Math.floor(width / TICK)));
    canvas.replaceChildren(
      ...levelsOf(all, [from, to], NARROWEST / width).map(({ level, pieces }) =>
        h("div", { class: "level", role: "group", "aria-label": kindOf(level) },
        pieces.map((piece, index) => brickOf(piece, { chosen, kin, isFirst: index === 0, width }, see)))),
      h("div", { class: "dates", "aria-hidden": "true" }, ticks.map(
        (at) => h("span", { vars: { "--from": String((at - from) / (to - from)) } }, axisDate(at, step)))));
    giveBack(canvas);
    smaller.disabled = to - from >= domain[1] - domain[0];
    larger.disabled = to - from <= SHORTEST;
  };
  const see = (wanted) => { state.span = clampSpan(wanted, domain); draw(); };
  const smaller = roundButton("minus", tr("dashboard-zoom-out"), () => see(zoomSpan(span(), 1 / STEP)));
  const larger = roundButton("plus", tr("dashboard-zoom-in"), () => see(zoomSpan(span(), STEP)));
  const move = (share) => { const [from, to] = span(); see([from + share * (to - from), to + share * (to - from)]); };
  const isMirrored = document.documentElement.dir === "rtl";
  const earlier = roundButton(isMirrored ? "after" : "before", tr("dashboard-earlier"), () => move(-0.6));
  const later = roundButton(isMirrored ? "before" : "after", tr("dashboard-later"), () => move(0.6));
  walkable(canvas, ".brick");
  canvas.addEventListener("wheel", (event) => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const at = (event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth;
    if (isZoom) see(zoomSpan(span(), event.deltaY < 0 ? 1.15 : 1 / 1.15, isMirrored ? 1 - at : at));
    else move(((isMirrored ? -1 : 1) * event.deltaX) / canvas.clientWidth);
  }, { passive: false });
  drag(canvas, (pixels) => move(((isMirrored ? 1 : -1) * pixels) / canvas.clientWidth));
  new ResizeObserver(draw).observe(canvas);
  return h("section", { class: "pyramid-frame" }, h("div", { class: "zoom" }, earlier, later, smaller, larger),
    h("div", { class: "pyramid" }, canvas),
    h("p", { class: "legend" }, h("span", {}, h("i", { class: "brick active" }), tr("dashboard-legend-active")),
      h("span", {}, h("i", { class: "brick" }), tr("dashboard-legend-part"))));
}

/** Moves what is shown under a finger or the mouse; a press that did not move stays a press. */
function drag(canvas, act) {
  let last = null;
  canvas.addEventListener("pointerdown", (event) => { last = event.clientX; });
  canvas.addEventListener("pointermove", (event) => {
    if (last === null || event.buttons === 0 || Math.abs(event.clientX - last) < 12) return;
    act(event.clientX - last);
    last = event.clientX;
  });
  for (const end of ["pointerup", "pointerleave", "pointercancel"]) canvas.addEventListener(end, () => { last = null; });
}

function brickOf({ from, to, all }, { chosen, kin, isFirst, width }, see) {
  const vars = { "--from": String(Math.max(0, from)), "--share": String(Math.min(1, to) - Math.max(0, from)) };
  const tabIndex = isFirst ? 0 : -1;
  const isKin = all.some((one) => kin.has(one.id));
  const kind = `brick${all.some((one) => one.is_active) ? " active" : ""}${isKin ? " kin" : ""}`;
  if (all.length > 1) {
    const told = `${tr("shared-summaries", { summaries: all.length })} · ${spanOf(all[0].first_at, all.at(-1).last_at)}`;
    const holds = all.some((one) => one.id === chosen);
    const act = (event) => {
      const level = event.currentTarget.parentElement.parentElement;
      const row = [...level.children].indexOf(event.currentTarget.parentElement);
      see(zoomSpan(domainOf(all), 0.8));
      (level.querySelector(`[href="#summaries/${all[0].id}"]`) ?? level.children[row].querySelector(".brick"))?.focus();
    };
    return h("button", { type: "button", class: `${kind} many`, tabIndex, title: told, "aria-label": told, "aria-current": holds
      ? "true" : null, vars, on: { click: act } }, h("span", {}, counted(all.length)));
  }
  const [one] = all;
  const told = [one.title, kindOf(one.level), headOf(one)].join(" · ");
  return h("a", { href: `#summaries/${one.id}`, class: kind, tabIndex, title: told, "aria-label": told,
    "aria-current": one.id === chosen ? "true" : null, vars },
    h("span", { dir: "auto" }, (to - from) * width > TICK ? one.title : ""));
}

async function opened(place, id) {
  const { summary, sources, messages, above } = await read("summary", { id });
  swap(place,
    h("article", { class: "card summary", vars: { "--hue": hueOf(summary.id) } },
      h("header", {}, h("h3", { dir: "auto" }, summary.title), h("p", { class: "hint" }, `${kindOf(summary.level)} · ${headOf(summary)}`)),
      h("div", { class: "prose" }, summary.text.split("\n").map((line) => h("p", { dir: "auto" }, line))),
      h("div", { class: "actions" }, button(tr("dashboard-summary-correct"), (pressed) => correct(place, summary, pressed), { symbol: "edit" })),
      h("details", {}, h("summary", {}, tr("why-details")), costOf(summary), summary.base_id !== null
        ? h("p", { class: "hint" }, h("a", { href: `#summaries/${summary.base_id}` }, tr("dashboard-version-before"))) : null)),
    above.length ? linksTo(tr("dashboard-part-of"), above) : null,
    sources.length ? linksTo(tr("dashboard-made-from"), sources) : null,
    messages.length ? h("section", { class: "covered" }, h("h3", {}, tr("dashboard-messages")),
      paged(messages, (rows) => h("div", {}, rows.map((message) => messageRow(message, { when: dateOf(message.at) }))))) : null);
}

/** Lets a person write in place of a summary's text. */
async function correct(place, { id, text: value }, pressed) {
  const title = tr("dashboard-summary-correct");
  const text = await asked(title, tr("dashboard-save"), { value, label: tr("dashboard-summary"), most: 4000, hint: tr("dashboard-summary-hint") });
  if (!text) return;
  await attempt(async () => { const answer = await write("summaries/correct", { id, text }); await opened(place, id); return answer; }, pressed);
}

const linksTo = (title, those) => h("section", { class: "covered" }, h("h3", {}, title),
  paged(those, (rows) => h("ul", { class: "cards" }, rows.map((one) =>
  h("li", { class: "card" }, h("p", { class: "text clamp", dir: "auto" }, one.text),
    h("p", { class: "hint" }, h("a", { href: `#summaries/${one.id}` },
    `${kindOf(one.level)} · ${spanOf(one.first_at, one.last_at)}`)))))));

const headOf = (one) => [tr("shared-messages", { messages: one.messages }), spanOf(one.first_at, one.last_at),
  tr(one.is_active ? "dashboard-legend-active" : "dashboard-legend-part"),
  ...(one.is_corrected ? [tr("dashboard-summary-yours")] : [])].join(" · ");

function costOf({ score, model, milliseconds, tokens_in: taken, tokens_out: written }) {
  const figures = [
    score !== null && tr("dashboard-checked", { score: percent.format(score) }), model,
    taken && tr("dashboard-tokens-made", { read: taken, written }), milliseconds && seconds.format(milliseconds / 1000),
  ];
  return h("p", { class: "hint" }, figures.filter(Boolean).join(" · "));
}
