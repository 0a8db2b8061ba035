// What is known, sentence by sentence: grouped by kind, each above what it replaced, with all that can be done to it.

import { h, icon } from "./dom.js";
import { forget } from "./forget.js";
import { read, write } from "./memory.js";
import { asked, attempt, button, choice, closeSheet, empty, paged, sheet, roundButton } from "./parts.js";
import { swap } from "./swap.js";
import { dateOf, tr } from "./texts.js";

const KINDS = ["instruction", "preference", "personal", "event", "facts"]; // all others are of the last
const ORDERS = {
  newest: (one, other) => other.id - one.id,
  oldest: (one, other) => one.id - other.id,
  text: (one, other) => one.text.localeCompare(other.text),
};

// All that the page is about. `chosen`: the ids of several facts, or null while none are being chosen.
const state = { wanted: "holds", order: "newest", sought: "", longest: 0, chosen: null };

export const facts = {
  async draw(root) {
    const answer = await read("facts");
    state.longest = answer.longest;
    const place = h("div", { class: "fact-groups" });
    const several = h("div", { class: "actions several", role: "group", "aria-label": tr("dashboard-facts-several") });
    const show = (newer) => { answer.facts = newer.facts ?? answer.facts; list(place, answer, show); swap(several, ...severalOf(show)); };
    const title = tr("dashboard-facts-search");
    const search = h("input", { type: "search", value: state.sought, placeholder: title, "aria-label": title, dir: "auto",
      data: { key: "facts-search" } });
    search.addEventListener("input", () => { state.sought = search.value; show({}); });
    const set = (name) => (value) => { state[name] = value; show({}); };
    const of = [["holds", tr("dashboard-facts-current")], ["all", tr("dashboard-facts-all")]];
    const orders = Object.keys(ORDERS).map((name) => [name, tr(`dashboard-facts-sort-${name}`)]);
    root.append(
      h("div", { class: "search-line" }, h("span", { class: "search-field" }, icon("search"), search),
        choice(of, state.wanted, set("wanted"), { "aria-label": tr("dashboard-tab-facts") }),
        choice(orders, state.order, set("order"), { "aria-label": tr("dashboard-facts-sort") }),
        button(tr("dashboard-fact-add"), () => change(show, "add", {}, tr("dashboard-fact-add"), ""), { symbol: "plus", kind: "main" })),
      several, place);
    show({});
  },
};

const holds = (fact) => fact.until === null && !fact.is_deleted;
const kindOf = (fact) => (KINDS.includes(fact.kind) ? fact.kind : "facts");

/** What can be done with several facts at once. */
function severalOf(show) {
  const choose = (chosen) => { state.chosen = chosen; show({}); };
  if (state.chosen === null) return [button(tr("dashboard-facts-several"), () => choose(new Set()), { kind: "small" })];
  const ids = [...state.chosen];
  const remove = (pressed) => attempt(async () => {
    let newer = {};
    for (const id of ids) newer = await write("facts/delete", { id });
    state.chosen = null;
    show(newer);
    return ids.length === 1 ? newer : null;
  }, pressed);
  const erase = () => forget({ what: "facts", ids }, async () => { state.chosen = null; show(await read("facts")); });
  const acts = [button(tr("memory-button-delete"), remove, { kind: "bad small" }),
    button(tr("dashboard-forget"), erase, { kind: "bad small" })];
  for (const act of acts) act.disabled = !ids.length;
  return [h("span", { class: "hint", role: "status" }, tr("dashboard-facts-chosen", { number: ids.length })), ...acts,
    button(tr("dashboard-cancel"), () => choose(null), { kind: "small" })];
}

// A superseded fact is shown under the newest of those that came after it.
function families(all) {
  const byId = new Map(all.map((fact) => [fact.id, fact]));
  const under = new Map();
  const heads = [];
  for (const fact of all) {
    let head = fact;
    for (const seen = new Set([fact.id]); byId.has(head.superseded_by) && !seen.has(head.superseded_by);
    seen.add(head.id)) head = byId.get(head.superseded_by);
    if (head === fact) heads.push(fact);
    else under.set(head.id, [...(under.get(head.id) ?? []), fact]);
  }
  return { heads, under };
}

function list(place, { facts: all }, show) {
  const { heads, under } = families(all);
  const words = state.sought.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fits = (fact) => words.every((word) => `${fact.text} ${fact.subject}`.toLocaleLowerCase().includes(word));
  const shown = heads.filter((fact) => (state.wanted === "all" || holds(fact)) && [fact, ...(under.get(fact.id) ?? [])].some(fits));
  const rank = (fact) => KINDS.indexOf(kindOf(fact)) * 2 + (fact.is_pinned ? 0 : 1);
  shown.sort((one, other) => Number(holds(other)) - Number(holds(one)) || rank(one) - rank(other) || ORDERS[state.order](one, other));
  const cardOf = (fact) => card(fact, under.get(fact.id) ?? [], show);
  const draw = (part) => h("div", {}, [...grouped(part)].map(([kind, group]) =>
    h("section", { class: "group" }, h("h3", {}, headingOf(kind)), h("ul", { class: "cards" }, group.map(cardOf)))));
  swap(place, shown.length ? paged(shown, draw) : empty(all.length ? tr("dashboard-found", { number: 0 }) : tr("dashboard-facts-none")));
}

function headingOf(kind) {
  if (kind === "over") return tr("dashboard-facts-over");
  const own = { personal: tr("dashboard-facts-personal"), event: tr("dashboard-facts-event") };
  return own[kind] ?? tr(`memory-heading-${kind}`);
}

function grouped(part) {
  const groups = new Map();
  for (const fact of part) {
    const kind = holds(fact) ? kindOf(fact) : "over";
    groups.set(kind, [...(groups.get(kind) ?? []), fact]);
  }
  return groups;
}

function card(fact, earlier, show) {
  const oldest = Math.min(fact.id, ...earlier.map((one) => one.id)); // it stays when another fact takes its place
  const kind = fact.is_deleted ? "deleted" : fact.until === null ? "holds" : "over";
  const more = roundButton("more", tr("dashboard-more-about", { name: fact.text.slice(0, 60) }), () => openFact(fact, earlier, show));
  more.id = `fact-${oldest}`;
  const pin = fact.is_pinned ? h("span", { class: "pin", role: "img", "aria-label": tr("why-for-pinned") }, icon("pin")) : null;
  return h("li", { class: `card fact ${kind}`, data: { fact: String(fact.id) } },
    h("div", { class: "card-line" },
      state.chosen ? chooser(fact, show) : null,
      h("p", { class: "text", dir: "auto" }, pin, fact.text), more),
    fact.quote ? h("blockquote", { class: "said-so", dir: "auto" }, fact.quote) : null,
    h("p", { class: "hint" }, toldOf(fact)),
    earlier.length ? h("details", { class: "line" }, h("summary", {}, tr("memory-earlier", { number: earlier.length })),
      historyOf(earlier)) : null);
}

const chooser = (fact, show) => h("input", {
  type: "checkbox", checked: state.chosen.has(fact.id), "aria-label": fact.text,
  on: { change: (event) => { if (event.currentTarget.checked) state.chosen.add(fact.id); else state.chosen.delete(fact.id); show({}); } },
});

const historyOf = (earlier) => h("ol", { class: "history" },
  [...earlier].sort((a, b) => b.id - a.id).map((one) => h("li", {}, h("p", { class: "text", dir: "auto" }, one.text),
  h("p", { class: "hint" }, toldOf(one)))));

function toldOf(fact) {
  const range = fact.until === null ? tr("memory-since", { day: dateOf(fact.since) }) : `${dateOf(fact.since)} – ${dateOf(fact.until)}`;
  return [fact.worth, range].filter(Boolean).join(" · ");
}

/** All that can be done to a fact. */
function openFact(fact, earlier, show) {
  const act = (name) => async (pressed) => { if (await attempt(
    async () => { const newer = await write(`facts/${name}`, { id: fact.id }); show(newer); return newer; }, pressed)) closeSheet();
    };
  const reworded = (name, title) => async () => { if (await change(show, name, { id: fact.id }, title, name === "edit" ? fact.text
    : "")) closeSheet(); };
  const isHolding = holds(fact);
  sheet(tr("dashboard-fact"),
    h("p", { class: "text large", dir: "auto" }, fact.text),
    h("p", { class: "hint" }, fact.worth, fact.worth ? " · " : "", fact.until === null
      ? tr("memory-holds", { from: dateOf(fact.since), said: dateOf(fact.said) })
      : tr("memory-held", { from: dateOf(fact.since), until: dateOf(fact.until), said: dateOf(fact.said) })),
    fact.quote ? h("blockquote", { class: "said-so", dir: "auto" }, fact.quote) : null,
    fact.origin === "owner" ? h("p", { class: "hint" }, tr("memory-by-hand")) : null,
    fact.is_deleted ? h("p", { class: "hint" }, tr("memory-deleted")) : null,
    h("div", { class: "actions" },
      isHolding ? button(tr("memory-button-edit"), reworded("edit", tr("memory-button-edit")), { symbol: "edit" }) : null,
      isHolding ? button(tr(fact.is_pinned ? "memory-button-unpin" : "memory-button-pin"), act(fact.is_pinned ? "unpin" : "pin"),
        { symbol: "pin" }) : null,
      isHolding ? button(tr("dashboard-supersede"), reworded("supersede", tr("dashboard-supersede"))) : null,
      fact.is_deleted ? button(tr("memory-button-undo"), act("undo"), { kind: "main" }) : null,
      isHolding && (earlier.some((one) => one.origin === "earlier") || (fact.origin === "owner" && earlier.length))
        ? button(tr("memory-button-undo"), act("undo"), { symbol: "again" }) : null,
      !fact.is_deleted ? button(tr("memory-button-delete"), act("delete"), { kind: "bad" }) : null,
      button(tr("dashboard-forget"), () => forget({ what: "facts", ids: [fact.id] },
        async () => { closeSheet(); show(await read("facts")); }), { kind: "bad" })),
    fact.source_ids.length ? h("p", {}, tr("dashboard-fact-said"), " ",
      fact.source_ids.slice(0, 20).map((id) => [h("a", { href: `#timeline/${id}`, on: { click: closeSheet } }, `#${id}`), " "]))
      : null,
    earlier.length ? h("section", {}, h("h3", {}, tr("memory-earlier", { number: earlier.length })), historyOf(earlier)) : null);
}

async function change(show, name, more, title, value) {
  const hint = name === "supersede" ? tr("dashboard-supersede-hint") : "";
  const text = await asked(title, tr("dashboard-save"), { value, label: tr("dashboard-fact"), most: state.longest, hint });
  if (!text) return false;
  return attempt(async () => { const newer = await write(`facts/${name}`, { ...more, text }); show(newer); return newer; });
}
