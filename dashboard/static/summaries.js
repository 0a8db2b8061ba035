// The summaries page. All levels share one time axis, which can be zoomed and moved. A summary opens with its sources and messages.

import { askForText } from "./asking.js";
import { SHORTEST, clampSpan, findDomain, findRelatives, groupByLevel, makeTicks, zoomSpan } from "./axis.js";
import { h, pickHue } from "./dom.js";
import { makeMessageRow } from "./messages.js";
import { refreshHome, memory, read, write } from "./memory.js";
import { attempt, makeButton, askToConfirm, makeEmptyNote, makePagedList, makeRoundButton, enableArrowKeys } from "./parts.js";
import { saveControls, replaceContent } from "./swap.js";
import { formatAxisDate, formatNumber, formatDate, nameLevel, makeFormatter, formatSpan, tr } from "./texts.js";

const NARROWEST = 16; // pixels of a piece, wide enough for a finger
const TICK = 92; // pixels for a date
const STEP = 1.6; // zoom factor of the buttons
const percent = makeFormatter(Intl.NumberFormat, { style: "percent" });
const seconds = makeFormatter(Intl.NumberFormat, { style: "unit", unit: "second", maximumFractionDigits: 1 });

const PAUSE = 150; // milliseconds without a zoom until titles are loaded
const MAX_TITLES = 500; // in one request, as the server has it

// What is kept of a conversation while its summaries are opened one after another: the visible span, the summaries without their
// texts until `key` changes, the titles of those that were visible, and a function for each visible one that shows its title.
const state = { here: "", span: null, key: "", all: [], titles: new Map(), bricks: new Map() };

export const summaries = {
  async draw(root, { detail }) {
    const here = `${memory.owner}/${memory.thread}`;
    const key = `${here}/${JSON.stringify(memory.home.counts)}`;
    if (state.key !== key) {
      const { summaries: all } = await read("summaries");
      Object.assign(state, { here, key, all, span: state.here === here ? state.span : null, titles: new Map() });
    }
    const { all } = state;
    root.append(h("p", { class: "hint" }, tr("dashboard-summaries-about")), makeActions());
    if (!all.length) return root.append(makeEmptyNote(tr("dashboard-summaries-none")));
    const newest = [...all].sort((a, b) => b.is_active - a.is_active || b.level - a.level || b.id - a.id)[0];
    const chosen = Number(detail) || newest.id;
    const place = h("div", { class: "summary-detail", "aria-live": "polite" });
    root.append(makeAxis(all, chosen),
      h("p", { class: "hint" }, tr("dashboard-summaries-active",
        { active: all.filter((summary) => summary.is_active).length, total: all.length })), place);
    return showSummary(place, chosen).catch((problem) => {
      state.key = ""; // it may be gone
      place.replaceChildren(makeEmptyNote(problem.message || tr("shared-failed")));
    });
  },
};

function makeActions() {
  const makeRequest = (name) => async () => { const answer = await write(`summaries/${name}`); state.key = ""; await refreshHome(); return answer; };
  const fold = (pressed) => attempt(makeRequest("fold"), pressed);
  const rebuild = async (pressed) => { if (await askToConfirm(tr("dashboard-rebuild"), tr("dashboard-rebuild"),
    [h("p", { class: "hint" }, tr("dashboard-rebuild-hint"))])) await attempt(makeRequest("rebuild"), pressed); };
  return h("div", { class: "actions" }, memory.home.counts.active_turns ? makeButton(tr("dashboard-fold"), fold) : null,
    makeButton(tr("dashboard-rebuild"), rebuild));
}

function makeAxis(all, chosen) {
  const domain = findDomain(all);
  const kin = findRelatives(all, chosen);
  const findSpan = () => clampSpan(state.span ?? domain, domain);
  const canvas = h("div", { class: "canvas" });
  let waiting = 0;
  const draw = () => {
    const width = canvas.clientWidth || 300;
    const [from, to] = findSpan();
    const giveBack = saveControls(canvas);
    const { step, ticks } = makeTicks([from, to], Math.max(2, Math.floor(width / TICK)));
    const levels = groupByLevel(all, [from, to], NARROWEST / width);
    state.bricks.clear();
    canvas.replaceChildren(
      ...levels.map(({ level, pieces }) =>
        h("div", { class: "level", role: "group", "aria-label": nameLevel(level) },
        pieces.map((piece, index) => makeBrick(piece, { chosen, kin, isFirst: index === 0, width }, showSpan)))),
      h("div", { class: "dates", "aria-hidden": "true" }, ticks.map(
        (at) => h("span", { vars: { "--from": String((at - from) / (to - from)) } }, formatAxisDate(at, step)))));
    giveBack(canvas);
    clearTimeout(waiting);
    waiting = setTimeout(loadTitles, PAUSE);
    smaller.disabled = to - from >= domain[1] - domain[0];
    larger.disabled = to - from <= SHORTEST;
  };
  const showSpan = (wanted) => { state.span = clampSpan(wanted, domain); draw(); };
  const smaller = makeRoundButton("minus", tr("dashboard-zoom-out"), () => showSpan(zoomSpan(findSpan(), 1 / STEP)));
  const larger = makeRoundButton("plus", tr("dashboard-zoom-in"), () => showSpan(zoomSpan(findSpan(), STEP)));
  const moveBy = (share) => { const [from, to] = findSpan(); showSpan([from + share * (to - from), to + share * (to - from)]); };
  const isMirrored = document.documentElement.dir === "rtl";
  const earlier = makeRoundButton(isMirrored ? "after" : "before", tr("dashboard-earlier"), () => moveBy(-0.6));
  const later = makeRoundButton(isMirrored ? "before" : "after", tr("dashboard-later"), () => moveBy(0.6));
  enableArrowKeys(canvas, ".brick");
  canvas.addEventListener("wheel", (event) => {
    const isZoom = event.ctrlKey || event.metaKey;
    if (!isZoom && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const at = (event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth;
    if (isZoom) showSpan(zoomSpan(findSpan(), event.deltaY < 0 ? 1.15 : 1 / 1.15, isMirrored ? 1 - at : at));
    else moveBy(((isMirrored ? -1 : 1) * event.deltaX) / canvas.clientWidth);
  }, { passive: false });
  enableDragging(canvas, (pixels) => moveBy(((isMirrored ? 1 : -1) * pixels) / canvas.clientWidth));
  new ResizeObserver(draw).observe(canvas);
  return h("section", { class: "pyramid-frame" }, h("div", { class: "zoom" }, earlier, later, smaller, larger),
    h("div", { class: "pyramid" }, canvas),
    h("p", { class: "legend" }, h("span", {}, h("i", { class: "brick active" }), tr("dashboard-legend-active")),
      h("span", {}, h("i", { class: "brick" }), tr("dashboard-legend-part"))));
}

/** Load the titles of the summaries that can be seen. */
async function loadTitles() {
  const ids = [...state.bricks.keys()].filter((id) => !state.titles.has(id)).slice(0, MAX_TITLES);
  if (!ids.length) return;
  const { titles } = await read("summaries", { titled: ids.join(",") }).catch(() => ({ titles: {} })); // a brick also has its dates
  for (const id of ids) showTitle(id, titles[id] ?? "");
}

function showTitle(id, title) {
  state.titles.set(id, title);
  state.bricks.get(id)?.();
}

/** Call `act(pixels)` while the canvas is dragged. A press without movement stays a click. */
function enableDragging(canvas, act) {
  let last = null;
  canvas.addEventListener("pointerdown", (event) => { last = event.clientX; });
  canvas.addEventListener("pointermove", (event) => {
    if (last === null || event.buttons === 0 || Math.abs(event.clientX - last) < 12) return;
    act(event.clientX - last);
    last = event.clientX;
  });
  for (const end of ["pointerup", "pointerleave", "pointercancel"]) canvas.addEventListener(end, () => { last = null; });
}

function makeBrick({ from, to, all }, { chosen, kin, isFirst, width }, showSpan) {
  const vars = { "--from": String(Math.max(0, from)), "--share": String(Math.min(1, to) - Math.max(0, from)) };
  const tabIndex = isFirst ? 0 : -1;
  const isKin = all.some((summary) => kin.has(summary.id));
  const kind = `brick${all.some((summary) => summary.is_active) ? " active" : ""}${isKin ? " kin" : ""}`;
  if (all.length > 1) {
    const label = `${tr("shared-summaries", { summaries: all.length })} · ${formatSpan(all[0].first_at, all.at(-1).last_at)}`;
    const holds = all.some((summary) => summary.id === chosen);
    const act = (event) => {
      const level = event.currentTarget.parentElement.parentElement;
      const row = [...level.children].indexOf(event.currentTarget.parentElement);
      showSpan(zoomSpan(findDomain(all), 0.8));
      (level.querySelector(`[href="#summaries/${all[0].id}"]`) ?? level.children[row].querySelector(".brick"))?.focus();
    };
    return h("button", { type: "button", class: `${kind} many`, tabIndex, title: label, "aria-label": label, "aria-current": holds
      ? "true" : null, vars, on: { click: act } }, h("span", {}, formatNumber(all.length)));
  }
  const [summary] = all;
  const brick = h("a", { href: `#summaries/${summary.id}`, class: kind, tabIndex, data: { key: `brick-${summary.id}` },
    "aria-current": summary.id === chosen ? "true" : null, vars });
  const showName = () => {
    const title = state.titles.get(summary.id) ?? "";
    brick.title = brick.ariaLabel = [title, nameLevel(summary.level), describeSummary(summary)].filter(Boolean).join(" · ");
    brick.replaceChildren(h("span", { dir: "auto" }, (to - from) * width > TICK ? title : ""));
  };
  state.bricks.set(summary.id, showName);
  showName();
  return brick;
}

async function showSummary(place, id) {
  const { summary, sources, messages, above } = await read("summary", { id });
  showTitle(id, summary.title);
  replaceContent(place,
    h("article", { class: "card summary", vars: { "--hue": pickHue(summary.id) } },
      h("header", {}, h("h3", { dir: "auto" }, summary.title), h("p", { class: "hint" }, `${nameLevel(summary.level)} · ${describeSummary(summary)}`)),
      h("div", { class: "prose" }, summary.text.split("\n").map((line) => h("p", { dir: "auto" }, line))),
      h("div", { class: "actions" }, makeButton(tr("dashboard-summary-correct"), () => correctSummary(place, summary), { symbol: "edit" })),
      h("details", {}, h("summary", {}, tr("why-details")), describeCost(summary), summary.base_id !== null
        ? h("p", { class: "hint" }, h("a", { href: `#summaries/${summary.base_id}` }, tr("dashboard-version-before"))) : null)),
    above.length ? makeLinks(tr("dashboard-part-of"), above) : null,
    sources.length ? makeLinks(tr("dashboard-made-from"), sources) : null,
    messages.length ? h("section", { class: "covered" }, h("h3", {}, tr("dashboard-messages")),
      makePagedList(messages, (rows) => h("div", {}, rows.map((message) => makeMessageRow(message, { when: formatDate(message.at) }))))) : null);
}

/** Let the person edit the text of a summary. */
function correctSummary(place, { id, text: value }) {
  const save = async (text, before) => {
    const answer = await write("summaries/correct", { id, text, before });
    await showSummary(place, id);
    return answer;
  };
  return askForText(tr("dashboard-summary-correct"), tr("dashboard-save"),
    { value, label: tr("dashboard-summary"), most: 4000, hint: tr("dashboard-summary-hint") }, save);
}

const makeLinks = (title, linked) => h("section", { class: "covered" }, h("h3", {}, title),
  makePagedList(linked, (rows) => h("ul", { class: "cards" }, rows.map((summary) =>
  h("li", { class: "card" }, h("p", { class: "text clamp", dir: "auto" }, summary.text),
    h("p", { class: "hint" }, h("a", { href: `#summaries/${summary.id}` },
    `${nameLevel(summary.level)} · ${formatSpan(summary.first_at, summary.last_at)}`)))))));

const describeSummary = (summary) => [tr("shared-messages", { messages: summary.messages }), formatSpan(summary.first_at, summary.last_at),
  tr(summary.is_active ? "dashboard-legend-active" : "dashboard-legend-part"),
  ...(summary.is_corrected ? [tr("dashboard-summary-yours")] : [])].join(" · ");

function describeCost({ score, model, milliseconds, tokens_in: taken, tokens_out: written }) {
  const figures = [
    score !== null && tr("dashboard-checked", { score: percent.format(score) }), model,
    taken && tr("dashboard-tokens-made", { read: taken, written }), milliseconds && seconds.format(milliseconds / 1000),
  ];
  return h("p", { class: "hint" }, figures.filter(Boolean).join(" · "));
}
