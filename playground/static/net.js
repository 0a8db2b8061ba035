// The page's line to the server: requests, and the endless poll for events with its reconnecting.
// Does not know what the answers mean.

/** The server's refusal, in its own words. */
export class Refused extends Error {}

async function request(path, options = {}) {
  const answer = await fetch(path, options);
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(body.description ?? body.error ?? `The server answered ${answer.status}.`);
  return body.result ?? body;
}

function post(path, body) {
  return request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

export const about = () => request("/api/about");
export const snapshot = () => request("/api/snapshot");
export const say = (message) => post("/api/say", message);
export const edit = (message) => post("/api/edit", message);
export const press = (button) => post("/api/press", button);
export const memory = (owner, thread, signal) => request(`/api/memory?owner=${owner}&thread=${thread}`, { signal });

/** A file as the person sends it: `fields` (person_id, chat_id, kind, caption…) and the bytes. */
export async function sendFile(fields, file) {
  const data = await base64Of(file);
  return post("/api/file", { ...fields, name: file.name, data });
}

/** Where the bytes of a file that travelled through the chat can be fetched. */
export const fileUrl = (fileId) => `/api/file?file_id=${encodeURIComponent(fileId)}`;

async function base64Of(file) {
  const url = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(",") + 1);
}

/**
 * Polls for events for ever. After every lost connection it begins with `onConnect()` again, which fetches the whole
 * state and returns its version: a restarted server counts its events anew, so the old number means nothing to it.
 */
export async function follow({ onConnect, onEvents, onLost }) {
  let pause = 250;
  for (;;) {
    try {
      let since = await onConnect();
      pause = 250;
      for (;;) {
        const answer = await request(`/api/events?since=${since}`);
        const events = answer.events ?? answer;
        if (events.length) {
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
