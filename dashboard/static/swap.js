// Drawing a part of the page again without taking anything from whoever uses it: what was typed and not yet saved stays in
// its field, the keyboard stays where it was, and what was unfolded stays so.

import { byId } from "./dom.js";

const HOLDS = "input, select, textarea, button, a[href], summary, details";
const isText = (field) => field.matches("textarea, input:not([type=checkbox], [type=radio], [type=file])");

/** What a control is called, within the row it is in; the same before and after drawing. */
function keyOf(control) {
  if (control.id || control.dataset.key) return control.id || control.dataset.key;
  const row = control.closest("[data-id], [data-fact], [data-key]");
  const label = control.getAttribute("aria-label") ?? control.closest("label")?.querySelector("span")?.textContent;
  const name = label ?? control.querySelector(":scope > summary, :scope")?.textContent ?? control.textContent;
  const place = row ? `${row.dataset.id ?? ""}/${row.dataset.fact ?? ""}/${row.dataset.key ?? ""}` : "";
  return `${place}|${control.localName}|${control.type ?? ""}|${(name ?? "").slice(0, 80)}`;
}

const byKey = (place, key) => [...place.querySelectorAll(HOLDS)].find((control) => keyOf(control) === key);

/** Notes what a part of the page holds; the function that is returned gives it to what was drawn instead. */
export function hold(place) {
  const activeElement = /** @type {HTMLInputElement} */ (document.activeElement);
  const focused = place.contains(activeElement) && activeElement.matches(HOLDS) ? keyOf(activeElement) : "";
  const range = focused && isText(activeElement) && activeElement.type !== "number" && activeElement.type !== "date"
    ? [activeElement.selectionStart, activeElement.selectionEnd] : null;
  const fields = [...place.querySelectorAll("textarea, input")].filter((field) => isText(field) && field.value !== field.defaultValue);
  const typed = new Map(fields.map((field) => [keyOf(field), field.value]));
  const open = new Set([...place.querySelectorAll("details[open]")].map(keyOf));
  return (after) => {
    for (const [key, value] of typed) {
      const field = byKey(after, key);
      if (!field || field.value === value) continue;
      field.value = value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    for (const fold of after.querySelectorAll("details")) if (open.has(keyOf(fold))) fold.open = true;
    if (!focused || byKey(after, focused) === document.activeElement) return;
    const control = focus(focused, after);
    if (range && isText(control)) control.setSelectionRange(range[0], range[1]);
  };
}

/** Puts nodes in place of what a part of the page holds. */
export function swap(place, ...nodes) {
  const giveBack = hold(place);
  place.replaceChildren(...nodes.filter(Boolean));
  giveBack(place);
}

/** Returns a function that gives the keyboard back once the focused control is gone. */
export function holdFocus() {
  const control = document.activeElement;
  const key = control === document.body ? "" : keyOf(control);
  return () => { if (key && document.activeElement === document.body) focus(key, document.body); };
}

/** Focuses the control with this key, or the page if there is none. Returns what is focused. */
function focus(key, place) {
  byKey(place, key)?.focus({ preventScroll: true });
  if (document.activeElement === document.body) byId("page").focus({ preventScroll: true });
  return /** @type {HTMLInputElement} */ (document.activeElement);
}
