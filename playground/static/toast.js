// Short notices over the page, and the alert that waits for OK. Used for callback answers and for refusals.

import { byId, h } from "./dom.js";

const FADING = 400; // milliseconds, a little longer than the transition of base.css

export function toast(text, { bad = false } = {}) {
  const note = h("p", { class: bad ? "toast bad" : "toast" }, text);
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

export function alertBox(text) {
  const box = byId("alert");
  byId("alert-text").textContent = text;
  if (!box.open) box.showModal();
}
