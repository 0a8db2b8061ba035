// The page's entry: who looks, the header with what is open, the tabs, and the page behind each. Holds no rules of its own.

import { addressOf, leaveMark, markLeft, parseAddress, writeAddress } from "./address.js";
import { byId, h, icon, progress } from "./dom.js";
import { look, memory, onHome, open } from "./memory.js";
import { onAway } from "./net.js";
import { choice, empty, pill, skeleton, toast } from "./parts.js";
import { holdFocus, swap } from "./swap.js";
import { fullDate, tr, visit } from "./texts.js";
import { timeline } from "./timeline.js";

// Each is a module of its own name. Those but the first are loaded once somebody goes there; those of MAIN stand in the line on a phone.
const MAIN = ["timeline", "facts", "summaries", "why"];
const PAGES = [...MAIN, "profile", "statistics", "settings", "past", ...(visit.is_admin ? ["admin"] : [])];

// A page is {draw(root, { detail, query, signal }) → Promise, refresh()?}: draws into an element that is in the document already,
// unless the page is drawn again; refresh is called when something moved. `signal`: aborted once another page is drawn.
let drawing = new AbortController(); // an answer that comes late belongs to a page that is gone
let shown = null;
let isOutdated = false; // something moved while a dialog was open

history.scrollRestoration = "manual";
onAway((isAway) => { byId("away").hidden = !isAway; });

function asked() {
  const { page, detail, query } = parseAddress(location.hash);
  return { id: PAGES.includes(page) ? page : PAGES[0], detail, query };
}

async function show({ keeps = false } = {}) {
  const { id, detail, query } = asked();
  const top = keeps ? scrollY : markLeft();
  drawing.abort();
  drawing = new AbortController();
  const { signal } = drawing;
  shown = { id };
  markTab(id);
  if (memory.home) standing();
  const root = h("div", { class: `view ${id}` }, h("h2", { class: "view-title" }, tr(`dashboard-tab-${id}`)));
  const waiting = skeleton();
  const giveBack = holdFocus();
  if (!keeps) { byId("page").replaceChildren(root, waiting); scrollTo(0, 0); }
  try {
    if (query.has("in") && Number(query.get("in")) !== memory.thread) await open(memory.owner, Number(query.get("in")));
    const page = id === "timeline" ? timeline : (await import(`./${id}.js`))[id];
    if (signal.aborted) return;
    shown = { id, refresh: page.refresh };
    await page.draw(root, { detail, query, signal });
  } catch (problem) {
    if (signal.aborted) return;
    if (problem.status === 401) return over(problem.message);
    if (problem.status === undefined) console.error(problem);
    root.append(empty((problem.status && problem.message) || tr("shared-failed")));
  }
  if (signal.aborted) return;
  if (keeps) swap(byId("page"), root);
  waiting.remove();
  giveBack();
  if (top !== null) scrollTo(0, top);
}

function refresh() {
  // What somebody writes or reads in a sheet is not taken away from under their hands.
  isOutdated = Boolean(document.querySelector("dialog[open]") || byId("page").querySelector("[data-busy]"));
  if (!isOutdated) return (shown?.refresh ?? (() => show({ keeps: true })))();
}

for (const id of ["sheet", "asking"]) byId(id).addEventListener("close", () => { if (isOutdated) setTimeout(refresh); });

function over(sentence) {
  drawing.abort();
  byId("page").replaceChildren(h("div", { class: "view" }, empty(sentence)));
  for (const id of ["tabs", "places", "pills", "standing"]) byId(id).replaceChildren();
}

function header({ moved }) {
  const { home } = memory;
  const { memory: how } = home;
  const name = home.owner === visit.person ? visit.name : home.owner === visit.owner ? visit.group : "";
  byId("whose").textContent = name ? tr("dashboard-memory-of", { name })
    : tr(home.is_group ? "dashboard-memory-group" : "dashboard-memory");
  document.title = byId("whose").textContent;
  byId("pills").replaceChildren(...[
    pill(tr(how.enabled ? "dashboard-on" : "dashboard-off"), how.enabled ? "on" : "off"),
    how.incognito ? pill(tr("dashboard-incognito"), "off") : "",
    how.storage ? pill(how.storage) : "",
  ].filter(Boolean));
  standing();
  if (!byId("places").contains(document.activeElement)) places(home);
  if (moved) refresh();
}

/** What goes on, and on the page of summaries how far it is to the next one. */
function standing() {
  const { memory: how, counts, folding, rebuilding, learning } = memory.home;
  const bar = (name, [done, total]) => progress(name, done, total, tr("search-so-far", { shown: done, total }));
  const notes = [];
  if (!how.configured || !how.enabled) notes.push(h("p", { class: "note" }, tr("basics-mode-off"), " ",
    h("a", { href: "#settings" }, tr("dashboard-tab-settings"))));
  if (folding?.state === "processing") notes.push(h("p", { class: "note" }, tr("summaries-busy")));
  else if (folding?.error) notes.push(h("p", { class: "note bad" }, tr("dashboard-summary-failed", { error: folding.error })));
  if (rebuilding) notes.push(bar(tr("dashboard-rebuilding"), rebuilding));
  if (learning) notes.push(bar(tr("dashboard-learning"), learning));
  const isCounting = how.enabled && how.auto_fold && how.every_n > 0 && folding?.state !== "processing";
  if (isCounting && shown?.id === "summaries") notes.push(bar(tr("dashboard-until-summary"), [counts.active_turns, how.every_n]));
  byId("standing").replaceChildren(...notes);
}

// A long title is cut at its end, in whichever direction it is written; a select does not know dir="auto".
const directionOf = (text) => (/^\P{L}*[\u0590-\u08ff]/u.test(text) ? "rtl" : "ltr");

function places(home) {
  const label = (one) => one.label || `${tr("chats-untitled")}, ${fullDate(one.last_at)}`;
  const scopes = home.scopes.some((one) => one.thread === home.thread) ? home.scopes
    : [{ thread: home.thread, label: "", last_at: Date.now() }, ...home.scopes];
  const choices = [];
  if (visit.owner !== visit.person) choices.push(choice([[visit.person, tr("dashboard-mine")],
    [visit.owner, tr("dashboard-memory-group")]], home.owner, (owner) => to(Number(owner), undefined),
    { "aria-label": tr("dashboard-memory") }));
  if (scopes.length > 1) choices.push(choice(scopes.map((one) => [one.thread, label(one)]), home.thread,
    (thread) => to(home.owner, Number(thread)), { "aria-label": tr("dashboard-conversation"),
    dir: directionOf(label(scopes.find((one) => one.thread === home.thread))) }));
  byId("places").replaceChildren(...choices);
}

async function to(owner, thread) {
  /** @type {HTMLElement} */ (document.activeElement)?.blur();
  try {
    await open(owner, thread);
    // A person or a message that was asked for belongs to the other conversation; the words stay.
    const { id, query } = asked();
    writeAddress(addressOf(id, "", { q: query.get("q") ?? "" }), { isNew: true });
    await show();
  } catch (problem) {
    toast(problem.message || tr("shared-failed"), { bad: true });
  }
}

const tabOf = (id) => h("a", { href: `#${id}`, data: { page: id } }, icon(id), h("span", {}, tr(`dashboard-tab-${id}`)));

function tabs() {
  // What sticks below them stands where they end.
  new ResizeObserver(() => document.documentElement.style.setProperty("--tabs", `${byId("tabs").offsetHeight}px`)).observe(byId("tabs"));
  const rest = h("div", { id: "rest", class: "rest", popover: "auto" }, PAGES.filter((id) => !MAIN.includes(id)).map(tabOf));
  const more = h("button", { type: "button", id: "more-tabs", "aria-expanded": "false", "aria-controls": "rest" }, icon("more"),
    h("span", {}, tr("dashboard-more-views")));
  more.addEventListener("click", () => rest.togglePopover());
  rest.addEventListener("toggle", (event) => more.setAttribute("aria-expanded", String(event.newState === "open")));
  rest.addEventListener("click", () => rest.matches(":popover-open") && rest.hidePopover());
  byId("tabs").replaceChildren(...MAIN.map(tabOf), more, rest);
}

/** Marks the page that is open; one of those behind More lends it its name. */
function markTab(id) {
  for (const tab of byId("tabs").querySelectorAll("a")) {
    if (tab.dataset.page === id) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  const isBehind = !MAIN.includes(id);
  byId("more-tabs").classList.toggle("current", isBehind);
  byId("more-tabs").querySelector("span").textContent = tr(isBehind ? `dashboard-tab-${id}` : "dashboard-more-views");
}

async function start() {
  if (visit.refused) return over(visit.refused.message);
  tabs();
  onHome(header);
  try {
    await look();
  } catch (problem) {
    return over(problem.message);
  }
  addEventListener("hashchange", () => {
    if (location.hash === "#page") return;
    for (const id of ["asking", "sheet"]) byId(id).close(); // Back leaves a dialog, too
    show();
  });
  addEventListener("redraw", () => (shown?.refresh ?? (() => show({ keeps: true })))());
  document.addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest?.('a[href^="#"]')) leaveMark();
  }, true);
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("page").focus(); });
  return show();
}

start();
