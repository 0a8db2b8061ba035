// Requests to the server, the session, and retries while the server is away. URLs are relative, because a proxy may serve the page
// below any path.

const KEY = "keepsake.session"; // as in early.js
const PROOF = "keepsake.proof"; // how the session began: "init_data" within Telegram, "link" elsewhere
const RENEWED_BEFORE = 12 * 3600_000; // milliseconds before its expiry, a session is renewed
const AWAY = new Set([502, 503, 504]);
const FIRST_PAUSE = 500; // milliseconds before the first retry
const LONGEST_PAUSE = 8000;

/** An error response. The message is the server's, or empty if a proxy answered. `status` is 0 if nobody answered. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** The session request that early.js has sent, and the proof of identity that it found in the URL.
 * @type {{proof: Record<string, string> | null, token: string, response: Promise<Response> | null}}
 */
const early = /** @type {any} */ (globalThis).early;

let { token } = early;
let expires = 0;
let language = ""; // of the texts, once they are known
/** @type {(isAway: boolean) => void} */
let notifyAway = () => {};

/** Call `listener(true)` while the server is away, and `listener(false)` when it is back. */
export function onAway(listener) { notifyAway = listener; }

export function setLanguage(code) { language = code; }

const makeIdentityHeaders = () => ({ ...(token ? { Authorization: `Bearer ${token}` } : {}), ...(language ? { "Accept-Language": language } : {}) });

async function sendRequest(path, options = {}, sent = null) {
  const headers = { ...options.headers, ...makeIdentityHeaders() };
  const answer = await (sent ?? fetch(path, { ...options, headers }));
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  // A proxy answered, or another process of the bot is about to hand the memory over.
  if (AWAY.has(answer.status) && (body === null || answer.headers.get("retry-after"))) throw Object.assign(
    new TypeError(String(answer.status)), { sentence: body?.error });
  throw new Refused(answer.status, body?.error ?? "");
}

const requestJson = async (path, options, sent) => (await sendRequest(path, options, sent)).json();
const makeJsonOptions = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
const makeQuery = (given) => new URLSearchParams(Object.entries(given).filter(([, value]) => value !== undefined && value !== null
  && value !== "").map(([key, value]) => [key, String(value)])).toString();

/** Repeat a request until the server answers, because it may be restarting. */
async function retryWhileAway(ask, signal) {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const answer = await ask();
      notifyAway(false);
      return answer;
    } catch (problem) {
      if (problem instanceof Refused || signal?.aborted) throw problem;
      notifyAway(true);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Return the JSON response of an API path.
 * @param {string} name
 * @param {Record<string, any>} given
 * @param {{signal?: AbortSignal}} options
 */
export async function get(name, given = {}, { signal } = {}) {
  await renewIfOld();
  return retryWhileAway(() => requestJson(`./api/${name}?${makeQuery(given)}`, { signal }), signal);
}

/** Send a change. It is never repeated, because the server may have made it. */
export async function post(name, body) {
  await renewIfOld();
  try {
    return await requestJson(`./api/${name}`, makeJsonOptions(body));
  } catch (problem) {
    throw problem instanceof Refused ? problem : new Refused(0, problem.sentence ?? "");
  }
}

/** Download a file as a blob with its name. */
export async function download(name, given) {
  const answer = await retryWhileAway(() => sendRequest(`./api/${name}?${makeQuery(given)}`));
  const filename = /filename="?([^";]+)/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? name;
  return { blob: await answer.blob(), filename };
}

/** Send bytes, and return the response. */
export const upload = (name, given, bytes, signal) => sendRequest(`./api/${name}?${makeQuery(given)}`,
  { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: bytes, signal });

/** Send a file, and return the JSON response. `onSent` gets the number of bytes sent, which `fetch` does not report.
 * @param {string} name
 * @param {Record<string, any>} given
 * @param {Blob} file
 * @param {(sent: number) => void} onSent
 * @returns {Promise<any>}
 */
export const uploadWithProgress = (name, given, file, onSent) => new Promise((resolve, reject) => {
  const sending = new XMLHttpRequest();
  sending.open("POST", `./api/${name}?${makeQuery(given)}`);
  sending.responseType = "json";
  for (const [header, value] of Object.entries({ "Content-Type": "application/octet-stream", ...makeIdentityHeaders() })) {
    sending.setRequestHeader(header, value);
  }
  sending.upload.onprogress = (event) => onSent(event.loaded);
  sending.onload = () => (sending.status === 200 && sending.response !== null ? resolve(sending.response)
    : reject(new Refused(sending.status, sending.response?.error ?? "")));
  sending.onerror = () => reject(new Refused(0, ""));
  sending.send(file);
});

export const getTexts = (wanted) => retryWhileAway(() => requestJson(`./api/texts?${makeQuery({ wanted })}`));

/** Begin a session with Telegram's initData, with a link, or with the token of this window. */
export async function enterPage() {
  const { proof } = early;
  // A proof is valid once, and must not be shared or bookmarked.
  if (proof) history.replaceState(null, "", location.pathname + location.search);
  try {
    const session = await beginSession(proof ?? {});
    if (proof) writeStored(PROOF, Object.keys(proof)[0]);
    return { ...session, proof: readStored(PROOF) };
  } catch (problem) {
    if (proof && token && problem.status === 401) return beginSession({});
    throw problem;
  }
}

/** Return the response to the request of early.js, the first time only. */
function takeEarlyResponse() {
  const { response } = early;
  early.response = null;
  return response;
}

async function beginSession(proof) {
  const earlier = token;
  if (Object.keys(proof).length) token = "";
  try {
    const session = await retryWhileAway(() => requestJson("./api/session", makeJsonOptions(proof), takeEarlyResponse()));
    token = session.token;
    expires = Date.parse(session.expires_at);
    writeStored(KEY, token);
    return session;
  } catch (problem) {
    token = earlier;
    throw problem;
  }
}

/** End all sessions of the person. The next request of the page shows that this one has ended. */
export async function signOut() {
  await post("session/end", {}).catch((problem) => { if (problem.status !== 401) throw problem; });
  dispatchEvent(new HashChangeEvent("hashchange"));
}

let renewing = null;

async function renewIfOld() {
  if (!expires || expires - Date.now() > RENEWED_BEFORE) return;
  renewing ??= beginSession({}).catch(() => { expires = 0; }).finally(() => { renewing = null; });
  await renewing;
}

export function readStored(key) {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

export function writeStored(key, value) {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // A private window may refuse. The session then lasts as long as the page.
  }
}
