// The choice between light, dark, and what the system has. theme.js applies it before the page is drawn.

import { setPref, state } from "./state.js";

const THEMES = ["auto", "light", "dark"];

export const themeName = () => (THEMES.includes(state.prefs.theme) ? state.prefs.theme : "auto");

/** Goes on to the next choice, and keeps it over reloads. */
export function nextTheme() {
  setPref("theme", THEMES[(THEMES.indexOf(themeName()) + 1) % THEMES.length]);
  window.keepsakeTheme(themeName());
}

/** Follows the system while nothing is chosen. */
export function startThemes() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => window.keepsakeTheme(themeName()));
}
