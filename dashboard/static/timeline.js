// What was said, by day, or what a search in it found. What is looked for is in the address; one request is current, and
// another one cancels it.

import { addressOf, writeAddress } from "./address.js";
import { calendar } from "./calendar.js";
import { h, icon } from "./dom.js";
import { Log } from "./log.js";
import { memory, read } from "./memory.js";
import { wordsOf } from "./messages.js";
import { choice, empty, labelled, skeleton } from "./parts.js";
import { showResults } from "./results.js";
import { tr } from "./texts.js";

const PAUSE = 200; // milliseconds after the last key until a search begins
const LONGEST_QUERY = 400; // as the server has it
const KINDS = ["any", "user", "assistant", "files", "forwarded", "imported"];

/** All that the page is about; there is one at a time. */
const state = { filter: null, message: 0, words: [], list: null, log: null, request: null };

export const timeline = {
  async draw(root, { detail, query, signal }) {
    const text = (name) => query.get(name) ?? "";
    state.filter = {
      q: text("q"), speaker: text("speaker"), kind: KINDS.slice(1).includes(text("kind")) ? text("kind") : "",
      since: text("since"), until: text("until"), all: text("all") === "1", from: Number(text("from")) || 0,
    };
    Object.assign(state, { message: Number(detail) || 0, words: wordsOf(text("found")) });
    state.list = h("section", { class: "log", "aria-label": tr("dashboard-messages") }, skeleton());
    state.list.addEventListener("newest", () => change({ since: "" }));
    const people = choice([["", tr("dashboard-everybody")]], "", (speaker) => change({ speaker }));
    root.append(bar(people), state.list);
    root.nextElementSibling?.remove(); // what stood there until something was drawn
    signal.addEventListener("abort", () => state.request?.abort());
    const named = nameSpeakers(people, signal);
    if (state.filter.speaker) await named;
    await Promise.all([load(), named]);
  },
  refresh: () => (state.filter.q && !state.message ? load() : state.log?.renew()),
};

/** Reads what the filter asks for; whatever was being read is given up. */
async function load() {
  const { list, filter, message } = state;
  state.request?.abort();
  const { signal } = state.request = new AbortController();
  list.setAttribute("aria-busy", "true");
  try {
    if (filter.q && !message) {
      state.log = null;
      await showResults(list, filter, { turn: (from) => { change({ from }); scrollTo(0, 0); }, signal });
    } else {
      const log = new Log(list, filter, signal);
      await (message ? log.openAt(message, state.words) : log.openEnd());
      if (!signal.aborted) state.log = log;
    }
  } catch (problem) {
    if (signal.aborted) return;
    if (problem.status === undefined || problem.status === 401) throw problem;
    list.replaceChildren(empty(problem.message || tr("shared-failed")));
  } finally {
    if (!signal.aborted) list.removeAttribute("aria-busy");
  }
}

/** Looks for something else, and says so in the address. */
function change(wanted) {
  const before = state.filter;
  state.filter = { ...before, from: 0, ...wanted };
  state.message = 0;
  const { all, q } = state.filter;
  const query = { ...state.filter, from: state.filter.from || "", in: all && q ? memory.thread : "" };
  // Back leads out of a search, not through every letter of it.
  writeAddress(addressOf("timeline", "", query), { isNew: !before.q !== !q || "from" in wanted });
  if (q && !before.q) scrollTo(0, 0);
  mark();
  return load();
}

/** Fills in who is known to have spoken; somebody of another conversation is not asked for any more. */
async function nameSpeakers(people, signal) {
  const { speakers } = await read("speakers", {}, { signal });
  const names = speakers.map(([name]) => name);
  if (!names.includes(state.filter.speaker)) state.filter.speaker = "";
  people.append(...names.map((name) => h("option", { value: name, selected: name === state.filter.speaker }, name)));
  mark();
}

let mark = () => {};

function bar(people) {
  const { filter } = state;
  let waiting = 0;
  const field = h("input", {
    type: "search", value: filter.q, maxLength: LONGEST_QUERY, placeholder: tr("dashboard-search"), "aria-label": tr("dashboard-search"),
    dir: "auto", data: { key: "search" }, enterKeyHint: "search",
  });
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    state.request?.abort(); // its answer is to a question that nobody asks any more
    state.list.setAttribute("aria-busy", "true");
    waiting = setTimeout(() => { if (field.isConnected) change({ q: field.value.trim() }); }, PAUSE);
  });
  const day = (name) => h("input", { type: "date", value: filter[name],
    on: { change: (event) => change({ [name]: event.currentTarget.value }) } });
  const everywhere = h("input", { type: "checkbox", checked: filter.all,
    on: { change: (event) => change({ all: event.currentTarget.checked }) } });
  // Without words the timeline goes on for ever, and is of one conversation.
  const ofSearch = [labelled(tr("dashboard-filter-until"), day("until")),
    h("label", { class: "check" }, everywhere, h("span", {}, tr("search-in-all")))];
  const kinds = choice(KINDS.map((kind) => [kind === KINDS[0] ? "" : kind, tr(`dashboard-of-${kind}`)]), filter.kind,
    (kind) => change({ kind }));
  const since = day("since");
  const filters = h("div", { class: "filters", id: "filters", hidden: true },
    labelled(tr("dashboard-filter-person"), people), labelled(tr("dashboard-filter-kind"), kinds),
    labelled(tr("dashboard-filter-since"), since), ofSearch,
    calendar((chosen) => { since.value = chosen; field.value = ""; change({ since: chosen, q: "" }); }));
  const toggle = h("button", { type: "button", class: "button", "aria-expanded": "false", "aria-controls": "filters",
    "aria-label": tr("dashboard-filters") },
    icon("settings"), h("span", {}, tr("dashboard-filters")));
  toggle.addEventListener("click", () => {
    filters.hidden = !filters.hidden;
    toggle.setAttribute("aria-expanded", String(!filters.hidden));
    filters.dispatchEvent(new Event("shown"));
  });
  mark = () => {
    const { q, speaker, kind, since: first, until, all } = state.filter;
    for (const part of ofSearch) part.hidden = !q;
    if (document.activeElement !== since) since.value = first;
    toggle.classList.toggle("active", Boolean(speaker || kind || first || (q && (until || all))));
  };
  mark();
  const area = h("div", { class: "search", role: "search" },
    h("div", { class: "search-line" }, h("span", { class: "search-field" }, icon("search"), field), toggle), filters);
  // The day that sticks stands below it, however much of it is open.
  new ResizeObserver(() => document.documentElement.style.setProperty("--search", `${area.offsetHeight}px`)).observe(area);
  return area;
}
