// Draw a part of the page again without losing unsaved input, the focus or unfolded details.

import { byId } from "./dom.js";

const HOLDS = "input, select, textarea, button, a[href], summary, details";
const isTextField = (field) => field.matches("textarea, input:not([type=checkbox], [type=radio], [type=file])");

/** Return a key for a control that is the same after drawing again. It consists of its row, its type and its label. */
function makeKey(control) {
  if (control.id || control.dataset.key) return control.id || control.dataset.key;
  const row = control.closest("[data-id], [data-fact], [data-key]");
  const label = control.getAttribute("aria-label") ?? control.closest("label")?.querySelector("span")?.textContent;
  const name = label ?? control.querySelector(":scope > summary, :scope")?.textContent ?? control.textContent;
  const place = row ? `${row.dataset.id ?? ""}/${row.dataset.fact ?? ""}/${row.dataset.key ?? ""}` : "";
  return `${place}|${control.localName}|${control.type ?? ""}|${(name ?? "").slice(0, 80)}`;
}

const findByKey = (place, key) => [...place.querySelectorAll(HOLDS)].find((control) => makeKey(control) === key);

/** Return the texts that are typed and not saved in a part of the page, by the keys of their fields. If the page is left, fields
 * without a Save button do not count: they would look as if they were saved.
 * @returns {Map<string, string>}
 */
export function listTyped(place, { isLeft = false } = {}) {
  const chosen = isLeft ? "textarea, input:not([data-at-once])" : "textarea, input";
  const fields = [...place.querySelectorAll(chosen)].filter((field) => isTextField(field) && field.value !== field.defaultValue);
  return new Map(fields.map((field) => [makeKey(field), field.value]));
}

/** Put typed texts back into their fields. Return those whose fields are missing. */
export function restoreTyped(place, typed) {
  const missing = new Map(typed);
  for (const [key, text] of typed) {
    const field = findByKey(place, key);
    if (!field) continue;
    missing.delete(key);
    if (field.value === text) continue;
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  return missing;
}

/** Save the state of the controls in a part of the page. Return a function that restores it in the new part. */
export function saveControls(place) {
  const activeElement = /** @type {HTMLInputElement} */ (document.activeElement);
  const focused = place.contains(activeElement) && activeElement.matches(HOLDS) ? makeKey(activeElement) : "";
  const range = focused && isTextField(activeElement) && activeElement.type !== "number" && activeElement.type !== "date"
    ? [activeElement.selectionStart, activeElement.selectionEnd] : null;
  const typed = listTyped(place);
  const open = new Set([...place.querySelectorAll("details[open]")].map(makeKey));
  return (after) => {
    restoreTyped(after, typed);
    for (const fold of after.querySelectorAll("details")) if (open.has(makeKey(fold))) fold.open = true;
    if (!focused || findByKey(after, focused) === document.activeElement) return;
    const control = focusControl(focused, after);
    if (range && isTextField(control)) control.setSelectionRange(range[0], range[1]);
  };
}

/** Replace the content of a part of the page, keeping the state of its controls. */
export function replaceContent(place, ...nodes) {
  const giveBack = saveControls(place);
  place.replaceChildren(...nodes.filter(Boolean));
  giveBack(place);
}

/** Return a function that restores the focus if the focused control was removed. */
export function saveFocus() {
  const control = document.activeElement;
  const key = control === document.body ? "" : makeKey(control);
  return () => { if (key && document.activeElement === document.body) focusControl(key, document.body); };
}

/** Focus the control with this key, or the page if there is none. Return the focused element. */
function focusControl(key, place) {
  findByKey(place, key)?.focus({ preventScroll: true });
  if (document.activeElement === document.body) byId("page").focus({ preventScroll: true });
  return /** @type {HTMLInputElement} */ (document.activeElement);
}
