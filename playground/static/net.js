// The page's connection to the server: requests, and the endless poll for events with its reconnecting.
// Does not know what the answers mean.

import { LANGUAGE, tr } from "./texts.js";

/** The server's refusal, in its own words. */
export class Refused extends Error {}

async function request(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { ...options.headers, "Accept-Language": LANGUAGE } });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(body.error ?? tr("shared-failed"));
  return body;
}

function post(path, body) {
  return request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

export const about = () => request("/api/about");
export const snapshot = () => request("/api/snapshot");
export const say = (message) => post("/api/say", message);
export const edit = (message) => post("/api/edit", message);
export const react = (reaction) => post("/api/react", reaction);
export const press = (button) => post("/api/press", button);
export const addPerson = (person) => post("/api/person", person);
export const chooseLanguage = (person, language) => post("/api/language", { person_id: person, language });
export const startOver = (chat) => post("/api/reset", { chat_id: chat });
/** A link to the dashboard, good for one use by this person; "" where there is none. */
export const dashboard = (person, owner, thread) => post("/api/dashboard", { person, owner, thread });

export const menu = (person, chat) => request(`/api/menu?person_id=${person}&chat_id=${chat}`);

/** A file as the person sends it: `fields` (person_id, chat_id, kind, caption…) and the bytes. */
export function sendFile(fields, file) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file, file.name);
  return request("/api/file", { method: "POST", body: form });
}

/** Where the bytes of a file that travelled through the chat can be fetched. */
export const fileUrl = (fileId) => `/api/files/${encodeURIComponent(fileId)}`;

/**
 * Polls for events for ever. After every lost connection it begins with `onConnect()` again, which fetches the whole
 * state and returns its version: a restarted server starts its count of events again, so the old number means nothing to it.
 */
export async function follow({ onConnect, onEvents, onLost }) {
  let pause = 250;
  for (;;) {
    try {
      let since = await onConnect();
      pause = 250;
      for (;;) {
        const events = await request(`/api/events?since=${since}`);
        if (events.some((event) => event.kind === "reset")) since = await onConnect();
        else if (events.length) {
          since = Math.max(since, ...events.map((event) => event.n));
          onEvents(events);
        }
      }
    } catch (problem) {
      onLost(problem);
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, 4000);
    }
  }
}
