// Short notices over the page, and the alert that waits for OK. Used for callback answers and for refusals.

import { byId, h } from "./dom.js";

export function toast(text, { bad = false } = {}) {
  const note = h("p", { class: bad ? "toast bad" : "toast" }, text);
  byId("toasts").append(note);
  setTimeout(() => note.classList.add("leaving"), 3500 + text.length * 30);
  note.addEventListener("transitionend", () => note.remove());
}

export function alertBox(text) {
  const box = byId("alert");
  byId("alert-text").textContent = text;
  if (!box.open) box.showModal();
}
