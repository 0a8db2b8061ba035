// The timeline page: messages by day, or search results. The filter is in the URL. A new request cancels the previous one.

import { formatAddress, writeAddress } from "./address.js";
import { makeCalendar } from "./calendar.js";
import { h, makeIcon, trackHeight } from "./dom.js";
import { Log } from "./log.js";
import { memory, read } from "./memory.js";
import { splitWords } from "./messages.js";
import { makeSelect, makeEmptyNote, makeDateInput, makeLabelledField, makeSkeleton } from "./parts.js";
import { showResults } from "./results.js";
import { tr } from "./texts.js";

const PAUSE = 200; // milliseconds between the last key and a search
const LONGEST_QUERY = 400; // as the server has it
const KINDS = ["any", "user", "assistant", "files", "forwarded", "imported"];

/** The state of the page. */
const state = { filter: null, message: 0, words: [], list: null, log: null, request: null };

export const timeline = {
  async draw(root, { detail, query, signal }) {
    const readText = (name) => query.get(name) ?? "";
    state.filter = {
      q: readText("q"), speaker: readText("speaker"), kind: KINDS.slice(1).includes(readText("kind")) ? readText("kind") : "",
      since: readText("since"), until: readText("until"), all: readText("all") === "1", from: Number(readText("from")) || 0,
    };
    Object.assign(state, { message: Number(detail) || 0, words: splitWords(readText("found")) });
    state.list = h("section", { class: "log", "aria-label": tr("dashboard-messages") }, makeSkeleton());
    state.list.addEventListener("newest", () => changeFilter({ since: "" }));
    const people = makeSelect([["", tr("dashboard-everybody")]], "", (speaker) => changeFilter({ speaker }));
    root.append(makeSearchBar(people), state.list);
    root.nextElementSibling?.remove(); // the placeholder
    signal.addEventListener("abort", () => state.request?.abort());
    const named = listSpeakers(people, signal);
    if (state.filter.speaker) await named;
    await Promise.all([loadMessages(), named]);
  },
  refresh: () => (state.filter.q && !state.message ? loadMessages() : state.log?.reload()),
};

/** Load what the filter selects, and cancel the previous request. */
async function loadMessages() {
  const { list, filter, message } = state;
  state.request?.abort();
  const { signal } = state.request = new AbortController();
  list.setAttribute("aria-busy", "true");
  try {
    if (filter.q && !message) {
      state.log = null;
      await showResults(list, filter, { turn: (from) => { changeFilter({ from }); scrollTo(0, 0); }, signal });
    } else {
      const log = new Log(list, filter, signal);
      await (message ? log.showMessage(message, state.words) : log.showNewest());
      if (!signal.aborted) state.log = log;
    }
  } catch (problem) {
    if (signal.aborted) return;
    if (problem.status === undefined || problem.status === 401) throw problem;
    list.replaceChildren(makeEmptyNote(problem.message || tr("shared-failed")));
  } finally {
    if (!signal.aborted) list.removeAttribute("aria-busy");
  }
}

/** Change the filter and the URL, and load the messages. Back returns from a chosen day, and from a page of results. */
function changeFilter(wanted) {
  const before = state.filter;
  state.filter = { ...before, from: 0, ...wanted };
  state.message = 0;
  const { all, q } = state.filter;
  const query = { ...state.filter, from: state.filter.from || "", in: all && q ? memory.thread : "" };
  // Back leaves a search, and does not go through each letter of it.
  writeAddress(formatAddress("timeline", "", query), { isNew: !before.q !== !q || "from" in wanted || wanted.q === "" });
  if (q && !before.q) scrollTo(0, 0);
  updateFilters();
  return loadMessages();
}

/** Load the names of the speakers. A selected speaker who is not in this conversation is dropped. */
async function listSpeakers(people, signal) {
  const { speakers } = await read("speakers", {}, { signal });
  const names = speakers.map(([name]) => name);
  if (!names.includes(state.filter.speaker)) state.filter.speaker = "";
  people.append(...names.map((name) => h("option", { value: name, selected: name === state.filter.speaker }, name)));
  updateFilters();
}

let updateFilters = () => {};

function makeSearchBar(people) {
  const { filter } = state;
  let waiting = 0;
  const field = h("input", {
    type: "search", value: filter.q, maxLength: LONGEST_QUERY, placeholder: tr("dashboard-search"), "aria-label": tr("dashboard-search"),
    dir: "auto", data: { key: "search" }, enterKeyHint: "search",
  });
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    state.request?.abort(); // it has an outdated query
    state.list.setAttribute("aria-busy", "true");
    waiting = setTimeout(() => { if (field.isConnected) changeFilter({ q: field.value.trim() }); }, PAUSE);
  });
  const filters = h("div", { class: "filters", id: "filters", hidden: true });
  let updateFields = () => {};
  const toggle = h("button", { type: "button", class: "button", "aria-expanded": "false", "aria-controls": "filters",
    "aria-label": tr("dashboard-filters") },
    makeIcon("settings"), h("span", {}, tr("dashboard-filters")));
  toggle.addEventListener("click", () => {
    if (!filters.hasChildNodes()) updateFields = fillFilters(filters, people, field);
    filters.hidden = !filters.hidden;
    toggle.setAttribute("aria-expanded", String(!filters.hidden));
  });
  updateFilters = () => {
    const { q, speaker, kind, since: first, until, all } = state.filter;
    updateFields();
    toggle.classList.toggle("active", Boolean(speaker || kind || first || (q && (until || all))));
  };
  updateFilters();
  const area = h("div", { class: "search", role: "search" },
    h("div", { class: "search-line" }, h("span", { class: "search-field" }, makeIcon("search"), field), toggle), filters);
  trackHeight("--search", area); // the sticky day is placed below it
  return area;
}

/** Create the fields of the filters, and return a function that shows the current filter in them. They are made once they are
 * opened, because two fields for dates take a slow phone 40 milliseconds.
 */
function fillFilters(filters, people, field) {
  const makeDateField = (name) => makeDateInput({ value: state.filter[name],
    on: { change: ({ currentTarget: input }) => { if (input.validity.valid) changeFilter({ [name]: input.value }); } } });
  const everywhere = h("input", { type: "checkbox", checked: state.filter.all,
    on: { change: (event) => changeFilter({ all: event.currentTarget.checked }) } });
  // These apply to searches only.
  const ofSearch = [makeLabelledField(tr("dashboard-filter-until"), makeDateField("until")),
    h("label", { class: "check" }, everywhere, h("span", {}, tr("search-in-all")))];
  const kinds = makeSelect(KINDS.map((kind) => [kind === KINDS[0] ? "" : kind, tr(`dashboard-of-${kind}`)]), state.filter.kind,
    (kind) => changeFilter({ kind }));
  const since = makeDateField("since");
  filters.append(makeLabelledField(tr("dashboard-filter-person"), people), makeLabelledField(tr("dashboard-filter-kind"), kinds),
    makeLabelledField(tr("dashboard-filter-since"), since), ...ofSearch,
    makeCalendar((chosen) => { since.value = chosen; field.value = ""; changeFilter({ since: chosen, q: "" }); }));
  const showFilter = () => {
    for (const part of ofSearch) part.hidden = !state.filter.q;
    if (document.activeElement !== since) since.value = state.filter.since;
  };
  showFilter();
  return showFilter;
}
