// What the address says: "#timeline/12?found=boat" names a page, a detail and a query. Knows no page.

/** The parts of a fragment. */
export function parseAddress(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const [page, detail = ""] = path.split("/");
  return { page, detail, query: new URLSearchParams(query) };
}

/** A fragment with the values that are not empty. */
export function addressOf(page, detail = "", query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value !== false && value !== undefined);
  const rest = new URLSearchParams(given.map(([key, value]) => [key, value === true ? "1" : String(value)])).toString();
  return `#${page}${detail === "" ? "" : `/${detail}`}${rest ? `?${rest}` : ""}`;
}

/** Writes the address without drawing anything. `isNew`: Back returns to the one before. */
export function writeAddress(hash, { isNew = false } = {}) {
  if (hash === location.hash) return;
  if (isNew) leaveMark();
  if (isNew) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

/** Keeps how far the reader is, so that Back returns there. */
export const leaveMark = () => history.replaceState({ top: scrollY }, "");

/** How far the reader was when this entry of the history was left, or null. */
export const markLeft = () => history.state?.top ?? null;
