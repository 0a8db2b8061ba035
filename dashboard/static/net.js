// The page's connection to its server: who looks, requests, and waiting while the server is away. Addresses are relative,
// for a proxy may put the page below any path. Does not know what the answers mean.

const KEY = "keepsake.session"; // as in early.js
const PROOF = "keepsake.proof"; // how the session began: "init_data" within Telegram, "link" elsewhere
const RENEWED_BEFORE = 12 * 3600_000; // milliseconds before its end, a session is renewed
const AWAY = new Set([502, 503, 504]);
const FIRST_PAUSE = 500; // milliseconds until a server that did not answer is asked again
const LONGEST_PAUSE = 8000;

/** The server's refusal, in its own words; empty where they were a proxy's. `status` 0: there was no answer. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** The request for a session that early.js sent, and the proof of identity that it found in the address.
 * @type {{proof: Record<string, string> | null, token: string, response: Promise<Response> | null}}
 */
const signIn = /** @type {any} */ (globalThis).signIn;

let { token } = signIn;
let expires = 0;
let language = ""; // of the texts, once they are known
/** @type {(isAway: boolean) => void} */
let told = () => {};

/** Says who is told while the server is away (true) and when it is back (false). */
export function onAway(listener) { told = listener; }

export function speak(code) { language = code; }

const identity = () => ({ ...(token ? { Authorization: `Bearer ${token}` } : {}), ...(language ? { "Accept-Language": language } : {}) });

async function request(path, options = {}, sent = null) {
  const headers = { ...options.headers, ...identity() };
  const answer = await (sent ?? fetch(path, { ...options, headers }));
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  // A proxy's words, or those of a process that may have the memory in a moment.
  if (AWAY.has(answer.status) && (body === null || answer.headers.get("retry-after"))) throw Object.assign(
    new TypeError(String(answer.status)), { sentence: body?.error });
  throw new Refused(answer.status, body?.error ?? "");
}

const json = async (path, options, sent) => (await request(path, options, sent)).json();
const asBody = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
const query = (given) => new URLSearchParams(Object.entries(given).filter(([, value]) => value !== undefined && value !== null
  && value !== "").map(([key, value]) => [key, String(value)])).toString();

/** Asks until there is an answer: a server that starts again is waited for. */
async function patiently(ask, signal) {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const answer = await ask();
      told(false);
      return answer;
    } catch (problem) {
      if (problem instanceof Refused || signal?.aborted) throw problem;
      told(true);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** What stands at an address of the API.
 * @param {string} name
 * @param {Record<string, any>} given
 * @param {{signal?: AbortSignal}} options
 */
export async function get(name, given = {}, { signal } = {}) {
  await renewed();
  return patiently(() => json(`./api/${name}?${query(given)}`, { signal }), signal);
}

/** Changes something; not tried again by itself, for it may have been done. */
export async function post(name, body) {
  await renewed();
  try {
    return await json(`./api/${name}`, asBody(body));
  } catch (problem) {
    throw problem instanceof Refused ? problem : new Refused(0, problem.sentence ?? "");
  }
}

/** A file that the server makes, as a blob with its name. */
export async function download(name, given) {
  const answer = await patiently(() => request(`./api/${name}?${query(given)}`));
  const filename = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? name;
  return { blob: await answer.blob(), filename };
}

/** Sends bytes; the answer as it is. */
export const upload = (name, given, bytes, signal) => request(`./api/${name}?${query(given)}`,
  { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: bytes, signal });

/** Sends a file; the answer as JSON. `onSent` is told how many bytes are on their way, which `fetch` does not say.
 * @param {string} name
 * @param {Record<string, any>} given
 * @param {Blob} file
 * @param {(sent: number) => void} onSent
 * @returns {Promise<any>}
 */
export const uploadWithProgress = (name, given, file, onSent) => new Promise((resolve, reject) => {
  const sending = new XMLHttpRequest();
  sending.open("POST", `./api/${name}?${query(given)}`);
  sending.responseType = "json";
  for (const [header, value] of Object.entries({ "Content-Type": "application/octet-stream", ...identity() })) {
    sending.setRequestHeader(header, value);
  }
  sending.upload.onprogress = (event) => onSent(event.loaded);
  sending.onload = () => (sending.status === 200 && sending.response !== null ? resolve(sending.response)
    : reject(new Refused(sending.status, sending.response?.error ?? "")));
  sending.onerror = () => reject(new Refused(0, ""));
  sending.send(file);
});

export const texts = (wanted) => patiently(() => json(`./api/texts?${query({ wanted })}`));

/** Proves who looks: by Telegram's word, by the bot's link, or by the session that this window already has. */
export async function enter() {
  const { proof } = signIn;
  // Out of the address: it is good for one use, and must not be shared or bookmarked.
  if (proof) history.replaceState(null, "", location.pathname + location.search);
  try {
    const session = await begin(proof ?? {});
    if (proof) keep(PROOF, Object.keys(proof)[0]);
    return { ...session, proof: kept(PROOF) };
  } catch (problem) {
    if (proof && token && problem.status === 401) return begin({});
    throw problem;
  }
}

/** Returns the response that early.js waits for, once. */
function takeResponse() {
  const { response } = signIn;
  signIn.response = null;
  return response;
}

async function begin(proof) {
  const earlier = token;
  if (Object.keys(proof).length) token = "";
  try {
    const session = await patiently(() => json("./api/session", asBody(proof), takeResponse()));
    token = session.token;
    expires = Date.parse(session.expires_at);
    keep(KEY, token);
    return session;
  } catch (problem) {
    token = earlier;
    throw problem;
  }
}

/** Ends every session of whoever looks; the page says that this one is over when it asks for something next. */
export async function signOut() {
  await post("session/end", {}).catch((problem) => { if (problem.status !== 401) throw problem; });
  dispatchEvent(new HashChangeEvent("hashchange"));
}

let renewing = null;

async function renewed() {
  if (!expires || expires - Date.now() > RENEWED_BEFORE) return;
  renewing ??= begin({}).catch(() => { expires = 0; }).finally(() => { renewing = null; });
  await renewing;
}

function kept(key) {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function keep(key, value) {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // A private window may refuse: the session then lasts as long as the page.
  }
}
