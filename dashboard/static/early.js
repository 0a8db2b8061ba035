// Sign in while the modules are still loading, because each round trip delays the page on a slow network. The server puts this
// script into the document.

(() => {
  const NEWEST = 10; // messages that come with the session; a phone shows fewer, and each takes 15 milliseconds there
  const fragment = new URLSearchParams(location.hash.slice(1));
  const search = new URLSearchParams(location.search);
  const initData = fragment.get("tgWebAppData");
  const link = fragment.get("link")?.replace(/[^!-~]/g, ""); // copied by hand from right-to-left text, it ends with an invisible mark
  const proof = initData ? { init_data: initData } : link ? { link } : null;
  const readToken = () => {
    try {
      return sessionStorage.getItem("keepsake.session") ?? "";
    } catch {
      return ""; // a private window may refuse
    }
  };
  const token = proof ? "" : readToken(); // reading it takes time, and the request should not wait
  const showsNewest = proof !== null || ["", "#", "#timeline"].includes(location.hash);
  const opening = { owner: search.get("owner") ?? "", thread: search.get("thread") ?? "", limit: showsNewest ? NEWEST : 0 };
  const authorization = !token ? {} : { Authorization: `Bearer ${token}` };
  const response = fetch("./api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...authorization },
    body: JSON.stringify({ ...proof, opening }),
  });
  response.catch(() => {}); // net.js asks again
  // The first date takes a slow phone a tenth of a second. Format one while the network is waited for.
  setTimeout(() => new Intl.DateTimeFormat(navigator.language, { timeZone: "UTC", weekday: "long", hour: "2-digit" }).format(0), 100);
  Object.assign(globalThis, { early: { proof, token: token || readToken(), response } });
})();
