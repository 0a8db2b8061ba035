// What is known about the owner: the profile with its versions, and facts, each above the ones that it replaced,
// and how far imported history was learned from.

import { dateOf, fullDate, h, progress } from "./dom.js";
import { has, tr } from "./texts.js";

const opened = new Set(); // keys of the histories that stand open

export const profileSection = {
  id: "profile",
  title: tr("page-profile"),
  draw({ profiles }) {
    if (!profiles?.length) return null;
    const [newest, ...earlier] = profiles;
    return {
      note: tr("page-versions", { number: profiles.length }),
      body: h("div", {}, versionOf(newest), earlier.length ? historyOf("profile", tr("page-versions-earlier", { number: earlier.length }), earlier.map(versionOf)) : null),
    };
  },
};

export const factsSection = {
  id: "facts",
  title: tr("page-facts"),
  draw({ facts, history_extraction }) {
    if (!facts?.length) return history_extraction ? { body: extractionOf(history_extraction) } : null;
    const { heads, under } = familiesOf(facts);
    const holding = facts.filter(holds).length;
    const order = (fact) => (fact.deleted ? 2 : fact.until === null ? 0 : 1) - (fact.pinned ? 0.5 : 0);
    heads.sort((a, b) => order(a) - order(b) || b.id - a.id);
    return { note: tr("page-facts-count", { holding, gone: facts.length - holding }), body: h("div", {}, history_extraction ? extractionOf(history_extraction) : null, h("ul", { class: "fact-list" }, heads.map((fact) => factOf(fact, under.get(fact.id) ?? [])))) };
  },
};

const extractionOf = ({ state, read, total }) => progress(tr(`page-learning-${state}`), read, total, tr("page-read-of", { done: read, total }));

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
    h("p", { class: "why" }, h("span", {}, toldOf(fact))),
    earlier.length ? historyOf(`f${fact.id}`, tr("page-fact-before", { number: earlier.length }), [h("ul", { class: "fact-list" }, earlier.sort((a, b) => b.id - a.id).map((one) => factOf(one, [])))]) : null);
}

const kindOf = ({ kind }) => (has(`page-kind-${kind}`) ? tr(`page-kind-${kind}`) : kind);

function toldOf(fact) {
  const range = fact.until === null ? tr("page-fact-since", { day: dateOf(new Date(fact.since)) }) : `${dateOf(new Date(fact.since))} – ${dateOf(new Date(fact.until))}`;
  const origin = { owner: tr("page-fact-by-hand"), earlier: tr("page-fact-earlier") }[fact.origin] ?? (fact.source_ids.length ? tr("page-fact-from", { sources: `#${fact.source_ids.join(", #")}` }) : "");
  return [`${fact.id}`, kindOf(fact), range, origin, fact.pinned && tr("page-fact-pinned"), fact.deleted && tr("page-fact-deleted")].filter(Boolean).join(" · ");
}

function versionOf(profile) {
  return h("div", { class: "version" },
    h("p", { class: "detail-head" }, h("b", {}, tr("page-version", { number: String(profile.id) })), h("span", {}, fullDate(new Date(profile.created_at)))),
    h("p", { class: "detail-text", dir: "auto" }, profile.text),
    profile.model ? h("p", { class: "hint" }, tr("page-by-model", { model: profile.model })) : null);
}

// The panel is redrawn while somebody reads: what was opened stays open.
function historyOf(key, title, nodes) {
  const details = h("details", { class: "history", open: opened.has(key) }, h("summary", { data: { key } }, title), ...nodes);
  details.addEventListener("toggle", () => { if (details.open) opened.add(key); else opened.delete(key); });
  return details;
}
