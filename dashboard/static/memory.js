// The open memory and conversation. Polls the state of the memory, and notifies listeners when it changes. All requests of the
// pages are made here, with the owner and the conversation.

import * as net from "./net.js";
import { setTimeZone, visit } from "./texts.js";

export const STEP = 50; // messages per request
const OFTEN = 3000; // milliseconds between polls while summaries or facts are being made
const SELDOM = 4000;
const HIDDEN = 60_000; // in a hidden window
const AFTER_A_TURN = 2000; // facts and summaries are made in the background after an answer

const given = new URLSearchParams(location.search);
const readNumber = (name) => (/^-?\d{1,19}$/.test(given.get(name) ?? "") ? Number(given.get(name)) : undefined);

/** `home` is the last response of api/home. If `thread` is undefined, the server chooses the conversation that is open in the chat. */
export const memory = { owner: readNumber("owner") ?? visit.owner, thread: readNumber("thread"), home: null };

const listeners = new Set();
const others = window.BroadcastChannel ? new BroadcastChannel("keepsake.changes") : null;
let timer = 0;
let seen = "";

export const read = (name, more = {}, options = {}) => net.get(name, { owner: memory.owner, thread: memory.thread, ...more }, options);

/** Return the response to "home" or "timeline" that came with the session, the first time only. Otherwise return null. */
export function takeOpening(name) {
  const answer = visit.opening?.[name] ?? null;
  if (answer) visit.opening[name] = null;
  return answer;
}

/** Send a change, and notify the other windows of the browser. */
export async function write(name, more = {}) {
  visit.opening = null;
  const answer = await net.post(name, { owner: memory.owner, thread: memory.thread, ...more });
  others?.postMessage(memory.owner);
  return answer;
}

/** Call `listener({ moved })` after each poll. `moved` is true if messages, summaries or facts have changed. */
export const onHomeChange = (listener) => listeners.add(listener);

/** Load the state of the memory, and schedule the next poll. */
export async function refreshHome() {
  clearTimeout(timer);
  try {
    const opening = takeOpening("home");
    if (!opening) visit.opening = null; // its messages may be outdated
    const home = opening ?? await read("home");
    if (home.owner !== memory.owner && memory.home) return;
    memory.owner = home.owner;
    memory.home = home;
    memory.thread ??= home.thread;
    setTimeZone(home.zone);
    const text = JSON.stringify(home.counts);
    const moved = seen !== "" && text !== seen;
    seen = text;
    for (const listener of listeners) listener({ moved });
  } finally {
    const { folding, rebuilding, learning } = memory.home ?? {};
    const pause = folding?.state === "processing" || rebuilding || learning ? OFTEN : SELDOM;
    timer = setTimeout(refreshIfVisible, document.hidden ? HIDDEN : pause);
  }
}

const refreshIfVisible = () => (document.hidden ? null : refreshHome().catch(() => {}));

/** Open another conversation or another memory. */
export async function openScope(owner, thread) {
  Object.assign(memory, { owner, thread });
  seen = "";
  await refreshHome();
}

if (others) others.onmessage = () => refreshHome().catch(() => {});
addEventListener("focus", refreshIfVisible);
document.addEventListener("visibilitychange", refreshIfVisible);
// The playground's chat reports a new message.
addEventListener("message", (event) => {
  if (event.origin === location.origin && event.data?.changed) for (const pause of [0, AFTER_A_TURN]) setTimeout(refreshIfVisible, pause);
});
