// What was said, by day, with the summary that covers each part; search as one types; jump to a day. Only a window of the
// conversation stands in the document: what leaves it at one end is read again when somebody scrolls there.

import { h, hueOf, icon } from "./dom.js";
import { messageRow } from "./messages.js";
import { memory, read } from "./memory.js";
import { button, choice, empty, labelled, pagerOf } from "./parts.js";
import { clockOf, dayKey, dayOf, spanOf, tr } from "./texts.js";

const WINDOW = 120; // messages in the document
const STEP = 50; // messages read at once
const NEAR = 900; // pixels from an end at which more is read
const PAUSE = 200; // milliseconds after the last key until a search begins

const KINDS = ["any", "user", "assistant", "files", "forwarded", "imported"];
const BLANK = { q: "", speaker: "", kind: "", since: "", until: "", all: false };

let filter = { ...BLANK };
let current = null;

export const timeline = {
  id: "timeline",
  async draw(root, detail) {
    const list = h("section", { class: "log", "aria-label": tr("dashboard-messages") });
    const log = new Log(list);
    current = log;
    const [speakers] = await Promise.all([read("speakers"), detail ? log.around(Number(detail)) : filter.q ? null : log.newest()]);
    root.append(bar(log, speakers.speakers), list);
    if (filter.q && !detail) await log.search();
    new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) log.placed(Number(detail)); }).observe(list);
  },
  refresh: () => current?.renew(),
};

/** The part of a conversation that stands in the document. */
class Log {
  constructor(list) {
    this.list = list;
    this.rows = [];
    this.covers = new Map();
    this.hasOlder = this.hasNewer = this.isFound = this.isBusy = this.isPlaced = false;
    this.searching = null;
    const near = this.near = () => {
      if (!list.isConnected) { if (this.isPlaced) removeEventListener("scroll", near); return; }  // the page was left
      if (this.isBusy || this.isFound || !this.isPlaced) return;
      const { top, bottom } = list.getBoundingClientRect();
      if (this.hasOlder && top > -NEAR) this.older();
      else if (this.hasNewer && bottom < innerHeight + NEAR) this.newer();
    };
    addEventListener("scroll", near, { passive: true });
  }

  given(more) {
    return { speaker: filter.speaker, kind: filter.kind, limit: STEP, ...more };
  }

  async newest() {
    this.take(await read("timeline", this.given(filter.since ? { day: filter.since } : {})), "all");
  }

  async around(id) {
    filter = { ...BLANK };
    const [before, { message }, after] = await Promise.all([read("timeline", this.given({ before: id })), read("message", { id }), read("timeline", this.given({ after: id }))]);
    this.take({ messages: [...before.messages, message, ...after.messages], summaries: [...before.summaries, ...after.summaries], has_older: before.has_older, has_newer: after.has_newer }, "all");
  }

  /** Where the reader begins: at the message asked for, at a chosen day, or at the newest. */
  placed(id) {
    if (this.isPlaced) return;
    this.isPlaced = true;
    const target = id ? this.list.querySelector(`[data-id="${id}"]`) : null;
    if (target) { target.scrollIntoView({ block: "center" }); target.classList.add("flash"); }
    else if (!this.isFound && this.rows.length) scrollTo(0, filter.since ? 0 : document.documentElement.scrollHeight);
    this.near(); // what stands at the top may have been there before: nothing scrolls then
  }

  async older() {
    await this.more({ before: this.rows[0]?.id }, "start");
  }

  async newer() {
    await this.more(this.rows.length ? { after: this.rows.at(-1).id } : {}, "end");
  }

  /** Reads the window again: something arrived, got other words or is gone. At its end it follows what arrives. */
  async renew() {
    if (this.isFound || this.isBusy) return;
    const { rows } = this;
    const last = this.hasNewer ? rows.at(-1) : null;
    const follows = !last && !filter.since && innerHeight + scrollY > document.documentElement.scrollHeight - 120;
    this.isBusy = true;
    try {
      const where = last ? { before: last.id } : filter.since ? { day: filter.since } : {};
      const found = await read("timeline", this.given({ limit: WINDOW, ...where }));
      if (this.rows !== rows || this.isFound) return; // the reader went elsewhere meanwhile
      this.take(last ? { ...found, messages: [...found.messages, last], has_newer: true } : found, "all");
    } finally {
      this.isBusy = false;
    }
    if (follows) scrollTo({ top: document.documentElement.scrollHeight, behavior: "smooth" });
  }

  async more(where, end) {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      this.take(await read("timeline", this.given(where)), end);
    } finally {
      this.isBusy = false;
    }
  }

  take({ messages, summaries, has_older: older, has_newer: newer }, end) {
    for (const one of summaries) this.covers.set(one.id, one);
    this.isFound = false;
    if (end === "all") [this.rows, this.hasOlder, this.hasNewer] = [messages, older, newer];
    if (end === "start") {
      this.rows = [...messages, ...this.rows];
      this.hasOlder = older;
      if (this.rows.length > WINDOW) [this.rows, this.hasNewer] = [this.rows.slice(0, WINDOW), true];
    }
    if (end === "end") {
      this.rows = [...this.rows, ...messages];
      this.hasNewer = newer;
      if (this.rows.length > WINDOW) [this.rows, this.hasOlder] = [this.rows.slice(-WINDOW), true];
    }
    if (end === "all" || messages.length) this.show();
  }

  /** Draws the window without moving what is being read. */
  show() {
    const anchor = [...this.list.querySelectorAll("[data-id]")].find((one) => one.getBoundingClientRect().bottom > 80);
    const top = anchor?.getBoundingClientRect().top;
    const focused = this.list.contains(document.activeElement) ? document.activeElement.closest("[data-id]")?.dataset.id : null;
    const opened = new Set([...this.list.querySelectorAll("details[open]")].map((one) => one.dataset.cover));
    this.list.replaceChildren(...(this.rows.length ? this.nodes(opened) : [empty(filter.speaker || filter.kind || filter.since ? tr("dashboard-found", { number: 0 }) : tr("dashboard-messages-none"))]));
    const again = anchor && this.list.querySelector(`[data-id="${anchor.dataset.id}"]`);
    if (again && this.isPlaced) scrollBy(0, again.getBoundingClientRect().top - top);
    if (focused) this.list.querySelector(`[data-id="${focused}"] button`)?.focus({ preventScroll: true });
  }

  *sections() {
    let section = null;
    for (const message of this.rows) {
      const day = dayKey(message.at);
      if (section?.day !== day) {
        if (section) yield section;
        section = { day, at: message.at, messages: [] };
      }
      section.messages.push(message);
    }
    if (section) yield section;
  }

  nodes(opened) {
    const covered = new Set();
    const nodes = [];
    for (const { at, messages } of this.sections()) {
      const rows = messages.flatMap((message) => {
        const cover = message.chunk !== null && !covered.has(message.chunk) ? this.covers.get(message.chunk) : null;
        covered.add(message.chunk);
        return cover ? [coverOf(cover, opened.has(String(cover.id))), messageRow(message)] : [messageRow(message)];
      });
      nodes.push(h("section", { class: "day", "aria-label": dayOf(at) }, h("h3", {}, h("time", { dateTime: dayKey(at) }, dayOf(at))), rows));
    }
    if (this.hasNewer) nodes.push(h("div", { class: "to-newest" }, button(tr("dashboard-newest"), () => { filter.since = ""; this.isPlaced = false; this.newest().then(() => this.placed()); }, { symbol: "down", kind: "main" })));
    return nodes;
  }

  async search(first = 0, earlier = []) {
    this.searching?.abort();
    this.searching = new AbortController();
    const { signal } = this.searching;
    this.list.setAttribute("aria-busy", "true");
    try {
      const { found, total, next } = await read("search", { q: filter.q, first, speaker: filter.speaker, kind: filter.kind, since: filter.since, until: filter.until, all: filter.all ? 1 : "" }, { signal });
      if (signal.aborted) return;
      this.isFound = true;
      const words = filter.q.split(/\s+/).filter((word) => word.length > 1);
      const pager = earlier.length || next ? [pagerOf(earlier.length ? () => this.search(earlier.at(-1), earlier.slice(0, -1)) : null, next ? () => this.search(next, [...earlier, first]) : null)] : [];
      this.list.replaceChildren(
        h("p", { class: "hint found", role: "status" }, tr("dashboard-found", { number: total })),
        ...found.map((message) => messageRow(message, { words, when: `${dayOf(message.at)}, ${clockOf(message.at)}`, leads: message.thread === undefined || message.thread === memory.thread })), ...pager);
      if (first || earlier.length) scrollTo(0, 0);
    } catch (problem) {
      if (!signal.aborted) this.list.replaceChildren(empty(problem.message));
    } finally {
      if (!signal.aborted) this.list.removeAttribute("aria-busy");
    }
  }

  /** After the search field or a filter has changed. */
  again() {
    this.searching?.abort();
    if (filter.q) { scrollTo(0, 0); return this.search(); }
    this.list.removeAttribute("aria-busy");
    this.isPlaced = false;
    return this.newest().then(() => this.placed());
  }
}

function bar(log, speakers) {
  let waiting = 0;
  const field = h("input", { type: "search", value: filter.q, maxLength: 400, placeholder: tr("dashboard-search"), "aria-label": tr("dashboard-search"), dir: "auto", data: { key: "search" }, enterKeyHint: "search" });
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    filter.q = field.value.trim();
    mark();
    waiting = setTimeout(() => log.again(), PAUSE);
  });
  const set = (name) => (value) => { filter[name] = value; mark(); log.again(); };
  const day = (name) => h("input", { type: "date", value: filter[name], on: { change: (event) => set(name)(event.currentTarget.value) } });
  // Without words the timeline goes on for ever, and is of one conversation.
  const ofSearch = [labelled(tr("dashboard-filter-until"), day("until")),
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: filter.all, on: { change: (event) => set("all")(event.currentTarget.checked) } }), h("span", {}, tr("search-in-all")))];
  const filters = h("div", { class: "filters", id: "filters", hidden: true },
    labelled(tr("dashboard-filter-person"), choice([["", tr("dashboard-everybody")], ...speakers.map(([name]) => [name, name])], filter.speaker, set("speaker"))),
    labelled(tr("dashboard-filter-kind"), choice(KINDS.map((kind) => [kind === KINDS[0] ? "" : kind, tr(`dashboard-of-${kind}`)]), filter.kind, set("kind"))),
    labelled(tr("dashboard-filter-since"), day("since")),
    ofSearch);
  const toggle = h("button", { type: "button", class: "button", "aria-expanded": "false", "aria-controls": "filters", on: { click: () => { filters.hidden = !filters.hidden; toggle.setAttribute("aria-expanded", String(!filters.hidden)); } } }, icon("settings"), h("span", {}, tr("dashboard-filters")));
  const mark = () => {
    for (const one of ofSearch) one.hidden = !filter.q;
    toggle.classList.toggle("active", Boolean(filter.speaker || filter.kind || filter.since || (filter.q && (filter.until || filter.all))));
  };
  mark();
  return h("div", { class: "search", role: "search" }, h("div", { class: "search-line" }, h("span", { class: "search-field" }, icon("search"), field), toggle), filters);
}

function coverOf(summary, isOpen) {
  return h("details", { class: "cover", open: isOpen, data: { cover: String(summary.id) }, vars: { "--hue": hueOf(summary.id) } },
    h("summary", {}, h("b", {}, `${tr("summaries-kind-1")} · ${tr("shared-messages", { messages: summary.messages })}`), h("span", {}, spanOf(summary.first_at, summary.last_at))),
    h("p", { class: "text", dir: "auto" }, summary.text),
    h("p", {}, h("a", { href: `#summaries/${summary.id}` }, tr("why-details"))));
}
