// The entry of the dashboard: its header, its tabs, and the pages behind them.

import { formatAddress, saveScroll, readScroll, parseAddress, writeAddress } from "./address.js";
import { byId, h, makeIcon, makeProgressBar, trackHeight } from "./dom.js";
import { refreshHome, memory, onHomeChange, openScope } from "./memory.js";
import { onAway, readStored, writeStored } from "./net.js";
import { makeSelect, makeEmptyNote, makePill, makeSkeleton, showToast } from "./parts.js";
import { listTyped, replaceContent, restoreTyped, saveFocus } from "./swap.js";
import { formatFullDate, tr, visit } from "./texts.js";
import { timeline } from "./timeline.js";

// Each page is a module of the same name. All but the first are loaded when they are opened. On a phone, MAIN are in one line.
const MAIN = ["timeline", "facts", "summaries", "why"];
const PAGES = [...MAIN, "profile", "statistics", "settings", "past", ...(visit.is_admin ? ["admin"] : [])];

const DRAFTS = "keepsake.typed"; // a reload keeps what was typed, as after a change of language

// A page is {draw(root, { detail, query, signal }) → Promise, refresh()?}. `root` is in the document already, unless the page is
// drawn again. refresh is called after the memory changed. `signal` is aborted when another page is drawn.
let drawing = new AbortController(); // late responses belong to a page that is gone
let shown = null;
/** @type {Map<string, Map<string, string>>} */
const drafts = new Map(JSON.parse(readStored(DRAFTS) || "[]").map(([id, typed]) => [id, new Map(typed)]));
writeStored(DRAFTS, "");
let isOutdated = false; // the memory changed while a dialog was open

history.scrollRestoration = "manual";
onAway((isAway) => { byId("away").hidden = !isAway; });

function parseLocation() {
  const { page, detail, query } = parseAddress(location.hash);
  return { id: PAGES.includes(page) ? page : PAGES[0], detail, query };
}

async function showPage({ keeps = false } = {}) {
  const { id, detail, query } = parseLocation();
  const top = keeps ? scrollY : readScroll();
  if (!keeps) keepDraft();
  drawing.abort();
  drawing = new AbortController();
  const { signal } = drawing;
  shown = { id };
  markTab(id);
  if (memory.home) showStatus();
  const root = h("div", { class: `view ${id}` }, h("h2", { class: "view-title" }, tr(`dashboard-tab-${id}`)));
  const waiting = makeSkeleton();
  const giveBack = saveFocus();
  if (!keeps) { byId("page").replaceChildren(root, waiting); scrollTo(0, 0); }
  try {
    if (query.has("in") && Number(query.get("in")) !== memory.thread) await openScope(memory.owner, Number(query.get("in")));
    const page = id === "timeline" ? timeline : (await import(`./${id}.js`))[id];
    if (signal.aborted) return;
    shown = { id, refresh: page.refresh };
    await page.draw(root, { detail, query, signal });
  } catch (problem) {
    if (signal.aborted) return;
    if (problem.status === 401) return endVisit(problem.message);
    if (problem.status === undefined) console.error(problem);
    root.append(makeEmptyNote((problem.status && problem.message) || tr("shared-failed")));
  }
  if (signal.aborted) return;
  if (keeps) replaceContent(byId("page"), root);
  waiting.remove();
  if (!keeps) drafts.set(id, restoreTyped(root, drafts.get(id) ?? new Map()));
  giveBack();
  if (top !== null) scrollTo(0, top);
}

/** Remember what is typed on the open page, for when it is opened again. The timeline's words are in the URL. */
function keepDraft() {
  if (shown && shown.id !== "timeline") drafts.set(shown.id, new Map([...(drafts.get(shown.id) ?? []), ...listTyped(byId("page"), { isLeft: true })]));
}

function refreshPage() {
  // An open dialog must not lose its content.
  isOutdated = Boolean(document.querySelector("dialog[open]") || byId("page").querySelector("[data-busy]"));
  if (!isOutdated) return (shown?.refresh ?? (() => showPage({ keeps: true })))();
}

for (const id of ["sheet", "asking"]) byId(id).addEventListener("close", () => { if (isOutdated) setTimeout(refreshPage); });

function endVisit(sentence) {
  drawing.abort();
  shown = null;
  drafts.clear(); // whoever signs in next must not see them
  byId("page").replaceChildren(h("div", { class: "view" }, makeEmptyNote(sentence)));
  for (const id of ["tabs", "places", "pills", "standing"]) byId(id).replaceChildren();
}

function updateHeader({ moved }) {
  const { home } = memory;
  const { memory: how } = home;
  const name = home.owner === visit.person ? visit.name : home.owner === visit.owner ? visit.group : "";
  byId("whose").textContent = name ? tr("dashboard-memory-of", { name })
    : tr(home.is_group ? "dashboard-memory-group" : "dashboard-memory");
  document.title = byId("whose").textContent;
  byId("pills").replaceChildren(...[
    makePill(tr(how.enabled ? "dashboard-on" : "dashboard-off"), how.enabled ? "on" : "off"),
    how.incognito ? makePill(tr("dashboard-incognito"), "off") : "",
    how.storage ? makePill(how.storage) : "",
  ].filter(Boolean));
  showStatus();
  if (!byId("places").contains(document.activeElement)) showPlaces(home);
  if (moved) refreshPage();
}

/** Show what the bot is doing and, on the summaries page, the progress to the next summary. */
function showStatus() {
  const { memory: how, counts, folding, rebuilding, learning } = memory.home;
  const makeBar = (name, [done, total]) => makeProgressBar(name, done, total, tr("search-so-far", { shown: done, total }));
  const notes = [];
  if (!how.configured || !how.enabled) notes.push(h("p", { class: "note" }, tr("basics-mode-off"), " ",
    h("a", { href: "#settings" }, tr("dashboard-tab-settings"))));
  if (folding?.state === "processing") notes.push(h("p", { class: "note" }, tr("summaries-busy")));
  else if (folding?.error) notes.push(h("p", { class: "note bad" }, tr("dashboard-summary-failed", { error: folding.error })));
  if (rebuilding) notes.push(makeBar(tr("dashboard-rebuilding"), rebuilding));
  if (learning) notes.push(makeBar(tr("dashboard-learning"), learning));
  const isCounting = how.enabled && how.auto_fold && how.every_n > 0 && folding?.state !== "processing";
  if (isCounting && shown?.id === "summaries") notes.push(makeBar(tr("dashboard-until-summary"), [counts.active_turns, how.every_n]));
  byId("standing").replaceChildren(...notes);
}

// A select does not support dir="auto", and would cut a long title at its beginning.
const findDirection = (text) => (/^\P{L}*[\u0590-\u08ff]/u.test(text) ? "rtl" : "ltr");

function showPlaces(home) {
  const nameScope = (scope) => scope.label || `${tr("chats-untitled")}, ${formatFullDate(scope.last_at)}`;
  const scopes = home.scopes.some((scope) => scope.thread === home.thread) ? home.scopes
    : [{ thread: home.thread, label: "", last_at: Date.now() }, ...home.scopes];
  const choices = [];
  if (visit.owner !== visit.person) choices.push(makeSelect([[visit.person, tr("dashboard-mine")],
    [visit.owner, tr("dashboard-memory-group")]], home.owner, (owner) => switchScope(Number(owner), undefined),
    { "aria-label": tr("dashboard-memory") }));
  if (scopes.length > 1) choices.push(makeSelect(scopes.map((scope) => [scope.thread, nameScope(scope)]), home.thread,
    (thread) => switchScope(home.owner, Number(thread)), { "aria-label": tr("dashboard-conversation"),
    dir: findDirection(nameScope(scopes.find((scope) => scope.thread === home.thread))) }));
  byId("places").replaceChildren(...choices);
}

async function switchScope(owner, thread) {
  /** @type {HTMLElement} */ (document.activeElement)?.blur();
  try {
    await openScope(owner, thread);
    // A selected speaker or message belongs to the other conversation. The search words are kept.
    const { id, query } = parseLocation();
    writeAddress(formatAddress(id, "", { q: query.get("q") ?? "" }), { isNew: true });
    await showPage();
  } catch (problem) {
    showToast(problem.message || tr("shared-failed"), { bad: true });
  }
}

const makeTab = (id) => h("a", { href: `#${id}`, data: { page: id } }, makeIcon(id), h("span", {}, tr(`dashboard-tab-${id}`)));

function showTabs() {
  trackHeight("--tabs", byId("tabs")); // sticky elements are placed below the tabs
  const rest = h("div", { id: "rest", class: "rest", popover: "auto" }, PAGES.filter((id) => !MAIN.includes(id)).map(makeTab));
  const more = h("button", { type: "button", id: "more-tabs", "aria-expanded": "false", "aria-controls": "rest" }, makeIcon("more"),
    h("span", {}, tr("dashboard-more-views")));
  more.addEventListener("click", () => rest.togglePopover());
  rest.addEventListener("toggle", (event) => more.setAttribute("aria-expanded", String(event.newState === "open")));
  rest.addEventListener("click", () => rest.matches(":popover-open") && rest.hidePopover());
  byId("tabs").replaceChildren(...MAIN.map(makeTab), more, rest);
}

/** Mark the tab of the open page. The More button takes the name of a page behind it. */
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
  if (visit.refused) return endVisit(visit.refused.message);
  showTabs();
  onHomeChange(updateHeader);
  try {
    await refreshHome();
  } catch (problem) {
    return endVisit(problem.message);
  }
  addEventListener("hashchange", () => {
    if (location.hash === "#page") return;
    for (const id of ["asking", "sheet"]) byId(id).close(); // Back leaves a dialog, too
    showPage();
  });
  addEventListener("redraw", () => (shown?.refresh ?? (() => showPage({ keeps: true })))());
  addEventListener("pagehide", () => {
    keepDraft();
    writeStored(DRAFTS, JSON.stringify([...drafts].map(([id, typed]) => [id, [...typed]])));
  });
  document.addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest?.('a[href^="#"]')) saveScroll();
  }, true);
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("page").focus(); });
  return showPage();
}

start();
