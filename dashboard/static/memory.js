// What is open: whose memory, which conversation, and how it stands. Polls for how it stands, and tells the page that is
// shown. Every request of a page goes through here, with its owner and conversation.

import * as net from "./net.js";
import { liveIn, visit } from "./texts.js";

export const STEP = 50; // messages read at once
const OFTEN = 3000; // milliseconds between looks while something is being made
const SELDOM = 4000;
const HIDDEN = 60_000; // a window that nobody looks at
const AFTER_A_TURN = 2000; // what follows an answer, facts and summaries, is made in the background

const given = new URLSearchParams(location.search);
const numbered = (name) => (/^-?\d{1,19}$/.test(given.get(name) ?? "") ? Number(given.get(name)) : undefined);

/** `home`: the last answer of api/home. `thread` undefined: the conversation that is open in the chat. */
export const memory = { owner: numbered("owner") ?? visit.owner, thread: numbered("thread"), home: null };

const listeners = new Set();
const others = window.BroadcastChannel ? new BroadcastChannel("keepsake.changes") : null;
let timer = 0;
let seen = "";

export const read = (name, more = {}, options = {}) => net.get(name, { owner: memory.owner, thread: memory.thread, ...more }, options);

/** Returns the answer to "home" or "timeline" that came with the session, once; or null. */
export function takeOpening(name) {
  const answer = visit.opening?.[name] ?? null;
  if (answer) visit.opening[name] = null;
  return answer;
}

/** Changes something, which other windows of the same browser then look at. */
export async function write(name, more = {}) {
  const answer = await net.post(name, { owner: memory.owner, thread: memory.thread, ...more });
  others?.postMessage(memory.owner);
  return answer;
}

/** Calls `listener({ moved })` whenever the memory stands differently; `moved`: something was stored, made or erased. */
export const onHome = (listener) => listeners.add(listener);

/** Looks how the memory stands. */
export async function look() {
  clearTimeout(timer);
  try {
    const home = takeOpening("home") ?? await read("home");
    if (home.owner !== memory.owner && memory.home) return;
    memory.owner = home.owner;
    memory.home = home;
    memory.thread ??= home.thread;
    liveIn(home.zone);
    const text = JSON.stringify(home.counts);
    const moved = seen !== "" && text !== seen;
    seen = text;
    for (const listener of listeners) listener({ moved });
  } finally {
    const { folding, rebuilding, learning } = memory.home ?? {};
    const pause = folding?.state === "processing" || rebuilding || learning ? OFTEN : SELDOM;
    timer = setTimeout(again, document.hidden ? HIDDEN : pause);
  }
}

const again = () => (document.hidden ? null : look().catch(() => {}));

/** Goes to another conversation, or another memory. */
export async function open(owner, thread) {
  Object.assign(memory, { owner, thread });
  seen = "";
  await look();
}

if (others) others.onmessage = () => look().catch(() => {});
addEventListener("focus", again);
document.addEventListener("visibilitychange", again);
// The playground's chat says that something happened in it.
addEventListener("message", (event) => { if (event.origin === location.origin && event.data?.changed) [0,
  AFTER_A_TURN].forEach((pause) => setTimeout(again, pause)); });
