// What is known about the owner: the profile with its versions, and facts, each above the ones that it replaced,
// and how far imported history was learned from.

import { counted, dayOf, fullDate, h, progress } from "./dom.js";

const opened = new Set(); // keys of the histories that stand open

export const profileSection = {
  id: "profile",
  title: "Profile",
  draw({ profiles }) {
    if (!profiles?.length) return null;
    const [newest, ...earlier] = profiles;
    return {
      note: counted(profiles.length, "version"),
      body: h("div", {}, versionOf(newest), earlier.length ? historyOf("profile", counted(earlier.length, "earlier version"), earlier.map(versionOf)) : null),
    };
  },
};

export const factsSection = {
  id: "facts",
  title: "Facts",
  draw({ facts, history_extraction }) {
    if (!facts?.length) return history_extraction ? { body: extractionOf(history_extraction) } : null;
    const { heads, under } = familiesOf(facts);
    const holding = facts.filter(holds).length;
    const order = (fact) => (fact.deleted ? 2 : fact.until === null ? 0 : 1) - (fact.pinned ? 0.5 : 0);
    heads.sort((a, b) => order(a) - order(b) || b.id - a.id);
    return { note: `${holding} hold, ${facts.length} in all`, body: h("div", {}, history_extraction ? extractionOf(history_extraction) : null, h("ul", { class: "fact-list" }, heads.map((fact) => factOf(fact, under.get(fact.id) ?? [])))) };
  },
};

const EXTRACTIONS = { running: "Learning from imported history", partly: "Learned from part of imported history", done: "Learned from imported history" };

const extractionOf = ({ state, read, total }) => progress(EXTRACTIONS[state], read, total, "of your messages");

const holds = (fact) => fact.until === null && !fact.deleted;

// A superseded fact is shown under the newest of those that came after it.
function familiesOf(facts) {
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  const under = new Map();
  const heads = [];
  for (const fact of facts) {
    let head = fact;
    for (const seen = new Set([fact.id]); byId.has(head.superseded_by) && !seen.has(head.superseded_by); seen.add(head.id)) head = byId.get(head.superseded_by);
    if (head === fact) heads.push(fact);
    else under.set(head.id, [...(under.get(head.id) ?? []), fact]);
  }
  return { heads, under };
}

function factOf(fact, earlier) {
  const state = fact.deleted ? "deleted" : fact.until === null ? "holds" : "over";
  return h("li", { class: `fact ${state}`, data: { fact: String(fact.id) } },
    h("p", { class: "detail-text", dir: "auto" }, fact.text),
    h("p", { class: "why" }, h("span", {}, toldOf(fact)), h("span", { class: "score", title: "importance" }, fact.importance.toFixed(2))),
    earlier.length ? historyOf(`f${fact.id}`, `before: ${earlier.length}`, [h("ul", { class: "fact-list" }, earlier.sort((a, b) => b.id - a.id).map((one) => factOf(one, [])))]) : null);
}

function toldOf(fact) {
  const range = fact.until === null ? `since ${dayOf(new Date(fact.since)).replace(/Today|Yesterday/, (day) => day.toLowerCase())}` : `${dayOf(new Date(fact.since))} – ${dayOf(new Date(fact.until))}`;
  const origin = { owner: "added by hand", earlier: "earlier text" }[fact.origin] ?? (fact.source_ids.length ? `from #${fact.source_ids.join(", #")}` : "");
  return [`${fact.id}`, fact.kind, range, origin, fact.pinned && "pinned", fact.deleted && "deleted"].filter(Boolean).join(" · ");
}

function versionOf(profile) {
  return h("div", { class: "version" },
    h("p", { class: "detail-head" }, h("b", {}, `Version ${profile.id}`), h("span", {}, fullDate(new Date(profile.created_at)))),
    h("p", { class: "detail-text", dir: "auto" }, profile.text),
    profile.model ? h("p", { class: "hint" }, `by ${profile.model}`) : null);
}

// The panel is redrawn while somebody reads: what was opened stays open.
function historyOf(key, title, nodes) {
  const details = h("details", { class: "history", open: opened.has(key) }, h("summary", { data: { key } }, title), ...nodes);
  details.addEventListener("toggle", () => { if (details.open) opened.add(key); else opened.delete(key); });
  return details;
}
