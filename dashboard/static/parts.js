// Parts that all pages use: toasts, dialogs, pagers, buttons, fields.

import { byId, h, makeIcon } from "./dom.js";
import { saveFocus, replaceContent } from "./swap.js";
import { formatNumber, tr } from "./texts.js";

const FADING = 400; // milliseconds, a little longer than the transition of base.css

export function showToast(text, { bad = false } = {}) {
  const note = h("p", { class: bad ? "toast bad" : "toast", dir: "auto" }, text);
  const place = byId("toasts");
  place.append(note);
  // Show it again, so that it is above a dialog that was opened in the meantime.
  if (place.matches(":popover-open")) place.hidePopover();
  place.showPopover();
  const shown = 3500 + text.length * 30;
  setTimeout(() => note.classList.add("leaving"), shown);
  // Not by the transitionend event, because there is none with prefers-reduced-motion.
  setTimeout(() => { note.remove(); if (!place.children.length) place.hidePopover(); }, shown + FADING);
}

/** Run an action and show its result in a toast. Return true if it succeeded. The button ignores clicks until then. It is not
 * disabled, because it would lose the focus.
 */
export async function attempt(act, button = null) {
  if (button?.ariaBusy === "true") return false;
  if (button) button.ariaBusy = "true";
  try {
    const answer = await act();
    if (answer?.said) showToast(answer.said);
    return true;
  } catch (problem) {
    if (problem.name !== "AbortError") showToast((problem.status !== undefined && problem.message) || tr("shared-failed"), { bad: true });
    return false;
  } finally {
    if (button) button.ariaBusy = "false";
  }
}

export const makeButton = (text, act, { kind = "", symbol = "", label = undefined } = {}) =>
  h("button", { type: "button", class: `button ${kind}`, "aria-label": label, title: label,
    on: { click: (event) => act(event.currentTarget) } }, symbol ? makeIcon(symbol) : null, text);

export const makeRoundButton = (symbol, label, act) => h("button",
  { type: "button", class: "round", "aria-label": label, title: label, on: { click: (event) => act(event.currentTarget) } },
  makeIcon(symbol));

export const makeEmptyNote = (text, ...more) => h("div", { class: "empty" }, h("p", {}, text), ...more);

/** Create grey lines as a placeholder for content that is being loaded. */
export const makeSkeleton = () => h("div", { class: "waiting", role: "status", "aria-label": tr("dashboard-loading") },
  [70, 92, 45, 84, 60].map((share) => h("i", { vars: { "--share": `${share}%` } })));

export const makePill = (text, kind = "") => h("span", { class: `pill ${kind}` }, text);

export const makeLabelledField = (label, field, hint = null) => h("label", { class: "field" }, h("span", {}, label), field, hint
  ? h("small", {}, hint) : null);

/** Create a field for a day, within the limits of the server. While a year is being typed, its value is invalid. */
export const makeDateInput = (props = {}) => h("input", { type: "date", min: "1970-01-01", max: "9000-01-01", ...props });

/** Create a select with [value, name] pairs. `act(value, select)` is called on a change. */
export const makeSelect = (pairs, chosen, act, props = {}) =>
  h("select", { ...props, on: { change: (event) => act(event.currentTarget.value, event.currentTarget) } },
    pairs.map(([value, name]) => h("option", { value: String(value), selected: String(value) === String(chosen) }, name)));

/** Create a list with pages, because a document with ten thousand rows is slow. */
export function makePagedList(all, draw, { size = 50 } = {}) {
  const place = h("div", { class: "paged" });
  const showRows = (first) => {
    const pages = Math.ceil(all.length / size);
    const buttons = all.length > size ? makePager(first > 0 ? () => showRows(first - size) : null, first + size < all.length
      ? () => showRows(first + size) : null, tr("search-so-far", { shown: first / size + 1, total: pages })) : null;
    replaceContent(place, draw(all.slice(first, first + size)), buttons);
    if (first || place.dataset.moved) place.scrollIntoView({ block: "start" });
    place.dataset.moved = "1";
  };
  showRows(0);
  return place;
}

/** Create buttons for the previous and the next page. A button whose handler is null is disabled. */
export function makePager(previous, next, status = "") {
  const makeStepButton = (text, act) => h("button", { type: "button", class: "button", disabled: !act, on: { click: () => act() } }, text);
  return h("nav", { class: "pager", "aria-label": tr("dashboard-pages") }, makeStepButton(tr("dashboard-back"), previous), h("span", {}, status),
    makeStepButton(tr("dashboard-next"), next));
}

/** Open a dialog over the page. */
export function openSheet(title, ...content) {
  const box = byId("sheet");
  box.replaceChildren(
    h("header", {}, h("h2", { id: "sheet-title" }, title), makeRoundButton("close", tr("dashboard-close"), () => box.close())),
    h("div", { class: "sheet-body" }, ...content));
  if (!box.open) restoreFocusOnClose(box);
  if (!box.open) box.showModal();
  box.scrollTop = 0;
  return box;
}

/** Restore the focus when a dialog is closed, also if its control was drawn again. */
function restoreFocusOnClose(box) {
  const giveBack = saveFocus();
  box.addEventListener("close", () => setTimeout(giveBack), { once: true });
}

/** Draw the open page again, keeping unsaved input. */
export const requestRedraw = () => dispatchEvent(new Event("redraw"));

export const closeSheet = () => byId("sheet").close();

/** Ask for confirmation, and resolve to true or false. `fields` are shown above the buttons. The confirming button is disabled until
 * the promise `after` resolves. If it resolves to false, the dialog is closed. If `isTold`, there is no Cancel button. With `act`, the
 * dialog stays open, and nothing typed is lost, until `act(button)` has resolved to true.
 */
export function askToConfirm(title, yes, fields = [], { bad = false, after = null, isTold = false, act = null } = {}) {
  const box = byId("asking");
  return new Promise((resolve) => {
    let answer = false;
    const agree = h("button", { type: "submit", class: bad ? "button bad" : "button main", disabled: after !== null }, yes);
    after?.then((isAsked) => { if (isAsked) agree.disabled = false; else box.close(); }, () => box.close());
    const confirm = async (event) => {
      if (act) event.preventDefault();
      const isDone = !act || await act(agree);
      if (!isDone || !form.isConnected) return; // another dialog may have taken its place meanwhile
      answer = true;
      if (act) box.close();
    };
    const form = h("form", { method: "dialog", on: { submit: confirm } },
      h("h2", { id: "asking-title" }, title), ...fields,
      h("div", { class: "asking-buttons" },
        isTold ? null : h("button", { type: "button", class: "button", on: { click: () => box.close() } }, tr("dashboard-cancel")), agree));
    box.replaceChildren(form);
    restoreFocusOnClose(box);
    box.addEventListener("close", () => resolve(answer), { once: true });
    box.showModal();
  });
}

/** Show a title and a progress bar until the promise `work` is settled. */
export async function showWhileWorking(title, work) {
  const box = byId("asking");
  box.replaceChildren(h("h2", { id: "asking-title", role: "status" }, title), h("progress", { "aria-label": title }));
  // Listen from the beginning, because Escape or Back may close the dialog before.
  const closed = new Promise((resolve) => box.addEventListener("close", resolve, { once: true }));
  box.showModal();
  try {
    return await work;
  } finally {
    box.close();
    await closed; // otherwise the next dialog would receive this event
  }
}

/** Create a tile with a figure and its name. */
export const makeTile = (name, value, hint = "") => h("div", { class: "tile" }, h("dt", {}, name),
  h("dd", {}, typeof value === "number" ? formatNumber(value) : value), hint ? h("dd", { class: "hint" }, hint) : null);

/** Let the arrow keys move the focus between buttons that share one tab stop. */
export function enableArrowKeys(place, selector) {
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
