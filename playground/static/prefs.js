// What this browser keeps of the person's choices across reloads: open chat, speaker, topic, reading marks, unsent text.
// Knows no chats; a storage that refuses or holds nonsense costs the choices, never the page.

const KEY = "keepsake.playground";
const FRESH = { current: null, view: "chats", speaker: {}, thread: {}, read: {}, place: {}, unsent: {}, panel: null, theme: "auto", language: "" };

export function loadPrefs() {
  try {
    return { ...structuredClone(FRESH), ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return structuredClone(FRESH);
  }
}

export function savePrefs(prefs) {
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs));
  } catch {
    // A private window may refuse: the choices then last as long as the page.
  }
}
