// Pieces that every page uses: notices, sheets, questions, pagers, buttons. Knows neither the memory nor the server's API.

import { byId, h, icon } from "./dom.js";
import { holdFocus, swap } from "./swap.js";
import { counted, tr } from "./texts.js";

const FADING = 400; // milliseconds, a little longer than the transition of base.css

export function toast(text, { bad = false } = {}) {
  const note = h("p", { class: bad ? "toast bad" : "toast", dir: "auto" }, text);
  const place = byId("toasts");
  place.append(note);
  // In the top layer, above dialogs too; shown again, so that it comes above what was opened since.
  if (place.matches(":popover-open")) place.hidePopover();
  place.showPopover();
  const shown = 3500 + text.length * 30;
  setTimeout(() => note.classList.add("leaving"), shown);
  // By time: without animations (prefers-reduced-motion) no transition ever ends.
  setTimeout(() => { note.remove(); if (!place.children.length) place.hidePopover(); }, shown + FADING);
}

/** Runs what somebody asked for, and tells what came of it; true where it worked. The button waits meanwhile: it is not
 * disabled, for then the keyboard would be nowhere.
 */
export async function attempt(act, button = null) {
  if (button?.ariaBusy === "true") return false;
  if (button) button.ariaBusy = "true";
  try {
    const answer = await act();
    if (answer?.said) toast(answer.said);
    return true;
  } catch (problem) {
    if (problem.name !== "AbortError") toast((problem.status !== undefined && problem.message) || tr("shared-failed"), { bad: true });
    return false;
  } finally {
    if (button) button.ariaBusy = "false";
  }
}

export const button = (text, act, { kind = "", symbol = "", label = undefined } = {}) =>
  h("button", { type: "button", class: `button ${kind}`, "aria-label": label, title: label,
    on: { click: (event) => act(event.currentTarget) } }, symbol ? icon(symbol) : null, text);

export const roundButton = (symbol, label, act) => h("button",
  { type: "button", class: "round", "aria-label": label, title: label, on: { click: (event) => act(event.currentTarget) } },
  icon(symbol));

export const empty = (text, ...more) => h("div", { class: "empty" }, h("p", {}, text), ...more);

/** Grey lines in place of what is being read. */
export const skeleton = () => h("div", { class: "waiting", role: "status", "aria-label": tr("dashboard-loading") },
  [70, 92, 45, 84, 60].map((share) => h("i", { vars: { "--share": `${share}%` } })));

export const pill = (text, kind = "") => h("span", { class: `pill ${kind}` }, text);

export const labelled = (label, field, hint = null) => h("label", { class: "field" }, h("span", {}, label), field, hint
  ? h("small", {}, hint) : null);

/** A choice among [value, name] pairs. */
export const choice = (pairs, chosen, act, props = {}) =>
  h("select", { ...props, on: { change: (event) => act(event.currentTarget.value, event.currentTarget) } },
    pairs.map(([value, name]) => h("option", { value: String(value), selected: String(value) === String(chosen) }, name)));

/** A list, so many rows of it at a time: a document with ten thousand facts in it is slow everywhere. */
export function paged(all, draw, { size = 50 } = {}) {
  const place = h("div", { class: "paged" });
  const show = (first) => {
    const pages = Math.ceil(all.length / size);
    const buttons = all.length > size ? pagerOf(first > 0 ? () => show(first - size) : null, first + size < all.length
      ? () => show(first + size) : null, tr("search-so-far", { shown: first / size + 1, total: pages })) : null;
    swap(place, draw(all.slice(first, first + size)), buttons);
    if (first || place.dataset.moved) place.scrollIntoView({ block: "start" });
    place.dataset.moved = "1";
  };
  show(0);
  return place;
}

/** Buttons to the part before and after; null: there is none. */
export function pagerOf(back, on, told = "") {
  const step = (text, act) => h("button", { type: "button", class: "button", disabled: !act, on: { click: () => act() } }, text);
  return h("nav", { class: "pager", "aria-label": tr("dashboard-pages") }, step(tr("dashboard-back"), back), h("span", {}, told),
    step(tr("dashboard-next"), on));
}

/** Opens a sheet over the page: a dialog that the Escape key and its cross close. */
export function sheet(title, ...content) {
  const box = byId("sheet");
  box.replaceChildren(
    h("header", {}, h("h2", { id: "sheet-title" }, title), roundButton("close", tr("dashboard-close"), () => box.close())),
    h("div", { class: "sheet-body" }, ...content));
  if (!box.open) returnFocus(box);
  if (!box.open) box.showModal();
  box.scrollTop = 0;
  return box;
}

/** Once a dialog is closed, the keyboard is where it was, or at what was drawn in that place meanwhile. */
function returnFocus(box) {
  const giveBack = holdFocus();
  box.addEventListener("close", () => setTimeout(giveBack), { once: true });
}

/** Has the page that is open drawn again, without losing what is typed there. */
export const redraw = () => dispatchEvent(new Event("redraw"));

export const closeSheet = () => byId("sheet").close();

/** Asks before something happens; `fields` stand above the buttons. Resolves to whether it shall. `after`: a promise that
 * is waited for before anybody can agree; where it gives false, nothing is asked. `isTold`: there is nothing to refuse.
 */
export function confirmed(title, yes, fields = [], { bad = false, after = null, isTold = false } = {}) {
  const box = byId("asking");
  return new Promise((resolve) => {
    let answer = false;
    const agree = h("button", { type: "submit", class: bad ? "button bad" : "button main", disabled: after !== null }, yes);
    after?.then((isAsked) => { if (isAsked) agree.disabled = false; else box.close(); }, () => box.close());
    const form = h("form", { method: "dialog", on: { submit: () => { answer = true; } } },
      h("h2", { id: "asking-title" }, title), ...fields,
      h("div", { class: "asking-buttons" },
        isTold ? null : h("button", { type: "button", class: "button", on: { click: () => box.close() } }, tr("dashboard-cancel")), agree));
    box.replaceChildren(form);
    returnFocus(box);
    box.addEventListener("close", () => resolve(answer), { once: true });
    box.showModal();
  });
}

/** Says what is being done until it is. */
export async function working(title, work) {
  const box = byId("asking");
  box.replaceChildren(h("h2", { id: "asking-title", role: "status" }, title), h("progress", { "aria-label": title }));
  // From the beginning, because Escape or Back may close it before the work is done.
  const closed = new Promise((resolve) => box.addEventListener("close", resolve, { once: true }));
  box.showModal();
  try {
    return await work;
  } finally {
    box.close();
    await closed; // a question that is asked before that would take the event for its own
  }
}

/** Asks for a text of at most so many characters; resolves to it, or to null. */
export async function asked(title, yes, { value = "", label, most, hint = "" }) {
  const field = h("textarea", { value, maxLength: most, rows: 3, required: true, dir: "auto", "aria-label": label });
  field.addEventListener("keydown", (event) => { if (event.key === "Enter"
    && (event.ctrlKey || event.metaKey)) field.form.requestSubmit(); });
  const done = confirmed(title, yes, [hint ? h("p", { class: "hint" }, hint) : null, field].filter(Boolean));
  field.focus();
  return (await done) && field.value.trim() ? field.value.trim() : null;
}

/** A figure with its name, as a tile. */
export const tile = (name, value, hint = "") => h("div", { class: "tile" }, h("dt", {}, name),
  h("dd", {}, typeof value === "number" ? counted(value) : value), hint ? h("dd", { class: "hint" }, hint) : null);

/** Moves with the arrow keys among some buttons: one tab stop in all. */
export function walkable(place, selector) {
  place.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = [...place.querySelectorAll(selector)];
    const at = all.indexOf(document.activeElement);
    if (!step || at === -1) return;
    event.preventDefault();
    const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    all[at + (sideways && document.documentElement.dir === "rtl" ? -step : step)]?.focus();
  });
}
