// Sign in while the modules are still loading, because each round trip delays the page on a slow network. The server puts this
// script into the document.

(() => {
  const NEWEST = 20; // messages that come with the session; more than a screen shows
  const fragment = new URLSearchParams(location.hash.slice(1));
  const search = new URLSearchParams(location.search);
  const initData = fragment.get("tgWebAppData");
  const link = fragment.get("link");
  const proof = initData ? { init_data: initData } : link ? { link } : null;
  let token = "";
  try {
    token = sessionStorage.getItem("keepsake.session") ?? "";
  } catch {
    // A private window may refuse.
  }
  const showsNewest = proof !== null || ["", "#", "#timeline"].includes(location.hash);
  const opening = { owner: search.get("owner") ?? "", thread: search.get("thread") ?? "", limit: showsNewest ? NEWEST : 0 };
  const authorization = proof || !token ? {} : { Authorization: `Bearer ${token}` };
  const response = fetch("./api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...authorization },
    body: JSON.stringify({ ...proof, opening }),
  });
  response.catch(() => {}); // net.js asks again
  Object.assign(globalThis, { early: { proof, token, response } });
})();
