// The summaries as a pyramid: level 1 at the bottom, each higher level on top; active ones bright, folded ones dim.

import { dayOf, clockOf, fullDate, h, hueOf } from "./dom.js";
import { has, manner, tr } from "./texts.js";

const percent = manner(Intl.NumberFormat, { style: "percent" });
const seconds = manner(Intl.NumberFormat, { style: "unit", unit: "second", maximumFractionDigits: 1 });

let chosen = null; // id of the summary whose text is open

export const pyramidSection = {
  id: "pyramid",
  title: tr("page-summaries"),
  draw({ summaries, summaries_total: total }) {
    if (!summaries.length) return { note: "", body: h("p", { class: "hint" }, tr("page-summaries-none")) };
    const byId = new Map(summaries.map((summary) => [summary.id, summary]));
    const detail = h("div", { class: "detail", "aria-live": "polite" });
    const levels = [...new Set(summaries.map((summary) => summary.level))].sort((a, b) => b - a);
    const body = h("div", {},
      h("div", { class: "levels" }, levels.map((level) => levelOf(level, summaries.filter((one) => one.level === level), byId, detail))), detail);
    showDetail(detail, byId.get(chosen), byId);
    body.addEventListener("keydown", walk);
    const active = summaries.filter((summary) => summary.active).length;
    return { note: tr("page-summaries-count", { active, total: total || summaries.length }), body };
  },
};

function levelOf(level, summaries, byId, detail) {
  const sorted = [...summaries].sort((a, b) => a.id - b.id);
  return h("div", { class: "level" }, h("span", { class: "level-name" }, `L${level}`),
    h("div", { class: "bricks", role: "group", "aria-label": tr("page-summaries-level", { level: String(level) }), vars: { "--columns": String(columnsOf(sorted.length)) } },
      sorted.map((summary, index) => brickOf(summary, byId, detail, index === 0))));
}

// Rows of nearly the same length: none has a single brick left over.
const MOST_IN_A_ROW = 12;
const columnsOf = (bricks) => Math.ceil(bricks / Math.ceil(bricks / MOST_IN_A_ROW));

// One tab stop a level, arrows within.
function walk(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const bricks = [...event.currentTarget.querySelectorAll("button.brick")];
  const at = bricks.indexOf(document.activeElement);
  if (!step || at === -1) return;
  event.preventDefault();
  bricks[at + step]?.focus();
}

function brickOf(summary, byId, detail, first) {
  const { chunks, family } = coverage(summary, byId);
  const brick = h("button", {
    type: "button", tabIndex: first ? 0 : -1, class: summary.active ? "brick active" : "brick", vars: { "--hue": hueOf(chunkNumber(chunks[0])) },
    data: { key: `s${summary.id}`, summary: String(summary.id), chunks: chunks.join(" "), family: family.join(" ") },
    "aria-pressed": String(summary.id === chosen), "aria-label": tr(summary.active ? "page-summary-active" : "page-summary-passive", { id: String(summary.id), level: String(summary.level), messages: countOf(summary) }),
    title: `${countOf(summary)} · ${rangeOf(summary)}`,
  }, String(summary.count));
  brick.addEventListener("click", () => {
    chosen = chosen === summary.id ? null : summary.id;
    for (const other of brick.closest(".levels").querySelectorAll(".brick")) other.setAttribute("aria-pressed", String(other.dataset.summary === String(chosen)));
    showDetail(detail, byId.get(chosen), byId);
  });
  return brick;
}

function showDetail(detail, summary, byId) {
  detail.hidden = !summary;
  if (!summary) return detail.replaceChildren();
  // Not by replaceChildren, which would write what is left out as the word "null".
  return detail.replaceChildren(h("div", {},
    h("p", { class: "detail-head" }, h("b", {}, `L${summary.level} · ${countOf(summary)}`), h("span", {}, rangeOf(summary))),
    h("p", { class: "detail-text", dir: "auto" }, summary.text),
    h("p", { class: "hint" }, standing(summary)),
    chainOf(summary, byId), qualityOf(summary), costOf(summary)));
}

const countOf = (summary) => tr("page-messages-count", { number: summary.count });

function standing({ active, policy }) {
  if (active) return tr("page-standing-active");
  return policy === "pyramid" ? tr("page-standing-higher") : tr("page-standing-replaced");
}

// A rolling or sliding summary is rewritten from its predecessor: which version it is, and what came before.
function chainOf(summary, byId) {
  const chain = [summary.id];
  for (let one = summary; one?.base_id != null && !chain.includes(one.base_id); one = byId.get(one.base_id)) chain.push(one.base_id);
  return chain.length > 1 ? h("p", { class: "hint chain" }, tr("page-version-of", { number: chain.length, policy: summary.policy, chain: chain.map((id) => `#${id}`).join(" ← ") })) : null;
}

function qualityOf({ score, details }) {
  if (score === null || score === undefined) return null;
  const parts = Object.entries(details).filter(([name]) => has(`page-part-${name}`)).map(([name, value]) => tr(`page-part-${name}`, { score: percent.format(value) }));
  return h("p", { class: "hint quality" }, h("b", {}, tr("page-quality", { score: percent.format(score) })), parts.length ? ` · ${parts.join(" · ")}` : "");
}

function costOf({ model, milliseconds, tokens_in: read, tokens_out: written, reason, compressed }) {
  const figures = [compressed > 1 && tr("page-compressed", { number: compressed }), model, has(`page-reason-${reason}`) && tr(`page-reason-${reason}`), read ? tr("page-tokens-made", { read, written }) : "", milliseconds ? seconds.format(milliseconds / 1000) : ""];
  const told = figures.filter(Boolean).join(" · ");
  return told ? h("p", { class: "hint cost" }, told) : null;
}

/** The chunks under a summary and its kin downwards, itself included; a source is followed even where it was not listed. */
export function coverage(summary, byId) {
  const chunks = new Set(summary.chunk_ids.map(String));
  const family = new Set([summary.id]);
  const queue = [...summary.source_ids];
  while (queue.length) {
    const source = byId.get(queue.pop());
    if (!source || family.has(source.id)) continue;
    family.add(source.id);
    source.chunk_ids.forEach((chunk) => chunks.add(String(chunk)));
    queue.push(...source.source_ids);
  }
  return { chunks: [...chunks], family: [...family] };
}

/** A number for a chunk's colour, whatever its id is made of. */
export function chunkNumber(chunk) {
  const text = String(chunk ?? 0);
  return /^\d+$/.test(text) ? Number(text) : [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7);
}

function rangeOf({ first, last }) {
  if (!first || !last) return "";
  const from = new Date(first);
  const to = new Date(last);
  if (dayOf(from) !== dayOf(to)) return `${fullDate(from)} – ${fullDate(to)}`;
  return `${dayOf(from)}, ${clockOf(from)} – ${clockOf(to)}`;
}
