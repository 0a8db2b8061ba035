// The facts page. Facts are grouped by kind, and each is shown above the facts that it replaced.

import { askForText } from "./asking.js";
import { h, makeIcon } from "./dom.js";
import { forget } from "./forget.js";
import { read, write } from "./memory.js";
import { attempt, makeButton, makeSelect, closeSheet, makeEmptyNote, makePagedList, openSheet, makeRoundButton } from "./parts.js";
import { replaceContent } from "./swap.js";
import { formatDate, tr } from "./texts.js";

const KINDS = ["instruction", "preference", "personal", "event", "facts"]; // all others are of the last
const ORDERS = {
  newest: (fact, other) => other.id - fact.id,
  oldest: (fact, other) => fact.id - other.id,
  text: (fact, other) => fact.text.localeCompare(other.text),
};

// The state of the page. `chosen` has the ids of the selected facts, or is null outside of selection mode.
const state = { filter: "holds", order: "newest", query: "", longest: 0, chosen: null };

export const facts = {
  async draw(root) {
    const answer = await read("facts");
    state.longest = answer.longest;
    const place = h("div", { class: "fact-groups" });
    const several = h("div", { class: "actions several", role: "group", "aria-label": tr("dashboard-facts-several") });
    const showFacts = (newer) => {
      answer.facts = newer.facts ?? answer.facts;
      showGroups(place, answer, showFacts);
      replaceContent(several, ...makeBulkActions(showFacts));
    };
    const title = tr("dashboard-facts-search");
    const search = h("input", { type: "search", value: state.query, placeholder: title, "aria-label": title, dir: "auto",
      data: { key: "facts-search" } });
    search.addEventListener("input", () => { state.query = search.value; showFacts({}); });
    const makeSetter = (name) => (value) => { state[name] = value; showFacts({}); };
    const filters = [["holds", tr("dashboard-facts-current")], ["all", tr("dashboard-facts-all")]];
    const orders = Object.keys(ORDERS).map((name) => [name, tr(`dashboard-facts-sort-${name}`)]);
    root.append(
      h("div", { class: "search-line" }, h("span", { class: "search-field" }, makeIcon("search"), search),
        makeSelect(filters, state.filter, makeSetter("filter"), { "aria-label": tr("dashboard-tab-facts") }),
        makeSelect(orders, state.order, makeSetter("order"), { "aria-label": tr("dashboard-facts-sort") }),
        makeButton(tr("dashboard-fact-add"), () => askAndSave(showFacts, "add", {}, tr("dashboard-fact-add"), ""), { symbol: "plus", kind: "main" })),
      several, place);
    showFacts({});
  },
};

const isCurrent = (fact) => fact.until === null && !fact.is_deleted;
const findKind = (fact) => (KINDS.includes(fact.kind) ? fact.kind : "facts");

/** Return the buttons for actions on several facts. */
function makeBulkActions(showFacts) {
  const setChosen = (chosen) => { state.chosen = chosen; showFacts({}); };
  if (state.chosen === null) return [makeButton(tr("dashboard-facts-several"), () => setChosen(new Set()), { kind: "small" })];
  const ids = [...state.chosen];
  const deleteChosen = (pressed) => attempt(async () => {
    let newer = {};
    for (const id of ids) newer = await write("facts/delete", { id });
    state.chosen = null;
    showFacts(newer);
    return ids.length === 1 ? newer : null;
  }, pressed);
  const forgetChosen = () => forget({ what: "facts", ids }, async () => { state.chosen = null; showFacts(await read("facts")); });
  const acts = [makeButton(tr("memory-button-delete"), deleteChosen, { kind: "bad small" }),
    makeButton(tr("dashboard-forget"), forgetChosen, { kind: "bad small" })];
  for (const act of acts) act.disabled = !ids.length;
  return [h("span", { class: "hint", role: "status" }, tr("dashboard-facts-chosen", { number: ids.length })), ...acts,
    makeButton(tr("dashboard-cancel"), () => setChosen(null), { kind: "small" })];
}

// Group superseded facts under the newest fact that replaced them.
function groupByNewest(all) {
  const byId = new Map(all.map((fact) => [fact.id, fact]));
  const under = new Map();
  const heads = [];
  for (const fact of all) {
    let head = fact;
    const seen = new Set([fact.id]);
    for (; byId.has(head.superseded_by) && !seen.has(head.superseded_by); seen.add(head.id)) head = byId.get(head.superseded_by);
    if (head === fact) heads.push(fact);
    else under.set(head.id, [...(under.get(head.id) ?? []), fact]);
  }
  return { heads, under };
}

function showGroups(place, { facts: all }, showFacts) {
  const { heads, under } = groupByNewest(all);
  const words = state.query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const isMatch = (fact) => words.every((word) => `${fact.text} ${fact.subject}`.toLocaleLowerCase().includes(word));
  const shown = heads.filter((fact) => (state.filter === "all" || isCurrent(fact) || fact.is_deleted) && [fact, ...(under.get(fact.id) ?? [])].some(isMatch));
  const rankFact = (fact) => KINDS.indexOf(findKind(fact)) * 2 + (fact.is_pinned ? 0 : 1);
  shown.sort((fact, other) => Number(isCurrent(other)) - Number(isCurrent(fact)) || rankFact(fact) - rankFact(other) || ORDERS[state.order](fact, other));
  const makeFactCard = (fact) => makeCard(fact, under.get(fact.id) ?? [], showFacts);
  const draw = (part) => h("div", {}, [...groupByKind(part)].map(([kind, group]) =>
    h("section", { class: "group" }, h("h3", {}, findHeading(kind)), h("ul", { class: "cards" }, group.map(makeFactCard)))));
  const emptyText = all.length ? tr("dashboard-found", { number: 0 }) : tr("dashboard-facts-none");
  replaceContent(place, shown.length ? makePagedList(shown, draw) : makeEmptyNote(emptyText));
}

function findHeading(kind) {
  if (kind === "over") return tr("dashboard-facts-over");
  const own = { personal: tr("dashboard-facts-personal"), event: tr("dashboard-facts-event") };
  return own[kind] ?? tr(`memory-heading-${kind}`);
}

function groupByKind(part) {
  const groups = new Map();
  for (const fact of part) {
    const kind = isCurrent(fact) ? findKind(fact) : "over";
    groups.set(kind, [...(groups.get(kind) ?? []), fact]);
  }
  return groups;
}

function makeCard(fact, earlier, showFacts) {
  const oldest = Math.min(fact.id, ...earlier.map((older) => older.id)); // it stays when another fact takes its place
  const kind = fact.is_deleted ? "deleted" : fact.until === null ? "holds" : "over";
  const more = makeRoundButton("more", tr("dashboard-more-about", { name: fact.text.slice(0, 60) }), () => openFactSheet(fact, earlier, showFacts));
  more.id = `fact-${oldest}`;
  const pin = fact.is_pinned ? h("span", { class: "pin", role: "img", "aria-label": tr("why-for-pinned") }, makeIcon("pin")) : null;
  return h("li", { class: `card fact ${kind}`, data: { fact: String(fact.id) } },
    h("div", { class: "card-line" },
      state.chosen ? makeCheckbox(fact, showFacts) : null,
      h("p", { class: "text", dir: "auto" }, pin, fact.text), more),
    fact.quote ? h("blockquote", { class: "said-so", dir: "auto" }, fact.quote) : null,
    h("p", { class: "hint" }, describeFact(fact)),
    earlier.length ? h("details", { class: "line" }, h("summary", {}, tr("memory-earlier", { number: earlier.length })),
      makeHistory(earlier)) : null);
}

const makeCheckbox = (fact, showFacts) => h("label", { class: "check choice" }, h("input", {
  type: "checkbox", checked: state.chosen.has(fact.id), "aria-label": fact.text,
  on: { change: (event) => { if (event.currentTarget.checked) state.chosen.add(fact.id); else state.chosen.delete(fact.id); showFacts({}); } },
}));

const makeHistory = (earlier) => h("ol", { class: "history" },
  [...earlier].sort((a, b) => b.id - a.id).map((older) => h("li", {}, h("p", { class: "text", dir: "auto" }, older.text),
  h("p", { class: "hint" }, describeFact(older)))));

function describeFact(fact) {
  const days = [...new Set([fact.since, fact.until ?? fact.since].map(formatDate))];
  const range = fact.until === null ? tr("memory-since", { day: days[0] }) : days.join(" – ");
  return [fact.worth, range, fact.origin === "owner" ? tr("memory-by-hand") : ""].filter(Boolean).join(" · ");
}

/** Open a sheet with a fact and its actions. */
function openFactSheet(fact, earlier, showFacts) {
  const makeAction = (name) => async (pressed) => {
    const change = async () => { const newer = await write(`facts/${name}`, { id: fact.id }); showFacts(newer); return newer; };
    if (await attempt(change, pressed)) closeSheet();
  };
  const makeRewording = (name, title) => async () => {
    if (await askAndSave(showFacts, name, { id: fact.id }, title, name === "edit" ? fact.text : "", fact.text)) closeSheet();
  };
  const isHolding = isCurrent(fact);
  openSheet(tr("dashboard-fact"),
    h("p", { class: "text large", dir: "auto" }, fact.text),
    h("p", { class: "hint" }, fact.worth, fact.worth ? " · " : "", fact.until === null
      ? tr("memory-holds", { from: formatDate(fact.since), said: formatDate(fact.said) })
      : tr(formatDate(fact.since) === formatDate(fact.until) ? "memory-held-until" : "memory-held",
        { from: formatDate(fact.since), until: formatDate(fact.until), said: formatDate(fact.said) })),
    fact.quote ? h("blockquote", { class: "said-so", dir: "auto" }, fact.quote) : null,
    fact.is_uncertain ? h("p", { class: "hint" }, tr("memory-uncertain")) : null,
    fact.origin === "owner" ? h("p", { class: "hint" }, tr("memory-by-hand")) : null,
    fact.is_deleted ? h("p", { class: "hint" }, tr("memory-deleted")) : null,
    h("div", { class: "actions" },
      isHolding ? makeButton(tr("memory-button-edit"), makeRewording("edit", tr("memory-button-edit")), { symbol: "edit" }) : null,
      isHolding ? makeButton(tr(fact.is_pinned ? "memory-button-unpin" : "memory-button-pin"), makeAction(fact.is_pinned ? "unpin" : "pin"),
        { symbol: "pin" }) : null,
      isHolding ? makeButton(tr("dashboard-supersede"), makeRewording("supersede", tr("dashboard-supersede"))) : null,
      fact.is_deleted ? makeButton(tr("memory-button-undo"), makeAction("undo"), { kind: "main" }) : null,
      isHolding && (earlier.some((older) => older.origin === "earlier") || (fact.origin === "owner" && earlier.length))
        ? makeButton(tr("memory-button-undo"), makeAction("undo"), { symbol: "again" }) : null,
      isHolding && earlier.some((older) => older.origin !== "earlier" && older.superseded_by === fact.id && !older.is_deleted)
        ? makeButton(tr("memory-button-both"), makeAction("both")) : null,
      !fact.is_deleted ? makeButton(tr("memory-button-delete"), makeAction("delete"), { kind: "bad" }) : null,
      makeButton(tr("dashboard-forget"), () => forget({ what: "facts", ids: [fact.id] },
        async () => { closeSheet(); showFacts(await read("facts")); }), { kind: "bad" })),
    fact.source_ids.length ? h("p", {}, tr("dashboard-fact-said"), " ",
      fact.source_ids.slice(0, 20).map((id) => [h("a", { href: `#timeline/${id}`, on: { click: closeSheet } }, `#${id}`), " "]))
      : null,
    earlier.length ? h("section", {}, h("h3", {}, tr("memory-earlier", { number: earlier.length })), makeHistory(earlier)) : null);
}

function askAndSave(showFacts, name, more, title, value, shown) {
  const hint = name === "supersede" ? tr("dashboard-supersede-hint") : "";
  const save = async (text, before) => {
    const newer = await write(`facts/${name}`, { ...more, text, before });
    showFacts(newer);
    return newer;
  };
  return askForText(title, tr("dashboard-save"), { value, before: shown, label: tr("dashboard-fact"), most: state.longest, hint }, save);
}
