// Where the reader stands in the log: follows the end only while the reader is there, keeps the place otherwise,
// counts what arrived below, and finds the place again after a reload. Does not know what a message says.

import { byId } from "./dom.js";
import { currentChat, markRead, setPref, state } from "./state.js";

const NEAR = 80; // pixels from the end that still count as reading the end

let arrived = 0;

export function start({ onTop }) {
  const log = byId("log");
  log.addEventListener("scroll", () => {
    if (log.scrollTop < 200) onTop();
    settle();
  }, { passive: true });
  log.addEventListener("scrollend", remember);
  // Pictures grow when they have loaded; so does everything when the window's width changes.
  log.addEventListener("load", () => { if (!state.prefs.place?.[state.current]) toEnd(); }, true);
  new ResizeObserver(() => { if (!state.prefs.place?.[state.current]) toEnd(); settle(); }).observe(log);
  byId("jump").addEventListener("click", () => { setPref("place", { ...state.prefs.place, [state.current]: null }); toEnd(); settle(); });
  document.addEventListener("visibilitychange", settle);
}

const atEnd = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;

/** Runs `mutate`, which changes the log, without moving what the reader reads; at the end, stays at the end. */
export function keep(mutate, { toEnd: force = false, arrived: isNew = false } = {}) {
  const log = byId("log");
  const follow = force || atEnd(log);
  const anchor = follow ? null : firstVisible(log);
  const before = anchor?.getBoundingClientRect().top ?? 0;
  const id = anchor?.dataset.id;
  mutate();
  const again = id ? log.querySelector(`[data-id="${id}"]`) : null;
  if (follow) toEnd();
  else if (again) log.scrollTop += again.getBoundingClientRect().top - before;
  if (!follow && isNew) arrived += 1;
  settle();
}

/** After a chat was opened: to the place left earlier, to the first unread message, or to the end. */
export function restore(chatId) {
  const log = byId("log");
  arrived = 0;
  const place = state.prefs.place?.[chatId];
  const target = log.querySelector(".unread-line") ?? (place ? log.querySelector(`[data-id="${place}"]`) : null);
  if (target) target.scrollIntoView({ block: "start" });
  else toEnd();
  settle();
}

function toEnd() {
  const log = byId("log");
  log.scrollTop = log.scrollHeight;
}

function settle() {
  const log = byId("log");
  const end = atEnd(log);
  if (end) arrived = 0;
  byId("jump").hidden = end;
  const badge = byId("jump-count");
  badge.hidden = arrived === 0;
  badge.textContent = arrived;
  const chat = currentChat();
  // On a phone the log has no height while another view is in front: then nothing is read.
  if (chat && end && !document.hidden && log.clientHeight > 0) markRead(chat.id);
}

function remember() {
  const log = byId("log");
  if (!log.clientHeight || state.current === null) return;
  const place = atEnd(log) ? null : Number(firstVisible(log)?.dataset.id ?? 0) || null;
  setPref("place", { ...state.prefs.place, [state.current]: place });
}

function firstVisible(log) {
  const top = log.getBoundingClientRect().top;
  return [...log.querySelectorAll("[data-id]")].find((message) => message.getBoundingClientRect().bottom > top + 1) ?? null;
}
