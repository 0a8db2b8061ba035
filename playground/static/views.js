// Which column is in front where there is room for one (phone) or two (narrow window). Knows nothing of their content.

import { byId } from "./dom.js";
import { emit, setPref, state } from "./state.js";

export function startViews() {
  for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go(button.dataset.go));
  const toggle = byId("panel-toggle");
  const show = (open) => {
    document.body.classList.toggle("panel-open", open);
    toggle.setAttribute("aria-pressed", String(open));
  };
  show(state.prefs.panel ?? false);
  toggle.addEventListener("click", () => {
    setPref("panel", !document.body.classList.contains("panel-open"));
    show(state.prefs.panel);
  });
  go(state.prefs.view);
}

/** Brings "chats", "chat" or "memory" to the front. */
export function go(view) {
  document.body.dataset.view = view;
  for (const button of document.querySelectorAll(".tabbar [data-go]")) {
    if (button.dataset.go === view) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  setPref("view", view);
  emit("view", view);
}
