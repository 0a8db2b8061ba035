// The fragment of the URL: "#timeline/12?found=boat" names a page, a detail and a query.

/** Split a fragment into its parts. */
export function parseAddress(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const [page, detail = ""] = path.split("/");
  return { page, detail, query: new URLSearchParams(query) };
}

/** Return a fragment. Empty values are left out. */
export function formatAddress(page, detail = "", query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== false && value !== undefined);
  const rest = new URLSearchParams(given.map(([key, value]) => [key, value === true ? "1" : String(value)])).toString();
  return `#${page}${detail === "" ? "" : `/${detail}`}${rest ? `?${rest}` : ""}`;
}

/** Change the URL without drawing anything. If `isNew`, Back returns to the previous URL. */
export function writeAddress(hash, { isNew = false } = {}) {
  if (hash === location.hash) return;
  if (isNew) saveScroll();
  if (isNew) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

/** Store the scroll position in the history entry, so that Back restores it. */
export const saveScroll = () => history.replaceState({ top: scrollY }, "");

/** Return the scroll position stored in the history entry, or null. */
export const readScroll = () => history.state?.top ?? null;
