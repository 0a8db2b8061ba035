// Search results: messages with the words first, then those that are only close in meaning.

import { formatAddress } from "./address.js";
import { h } from "./dom.js";
import { makeMessageRow, splitWords } from "./messages.js";
import { memory, read } from "./memory.js";
import { makePager } from "./parts.js";
import { replaceContent } from "./swap.js";
import { formatClock, formatDay, tr } from "./texts.js";

/** Show the results for `filter` in `list`, beginning with number `filter.from`. `turn(from)` opens another page of them. */
export async function showResults(list, filter, { turn, signal }) {
  const { q, from, speaker, kind, since, until, all } = filter;
  const { found, total, next, before } = await read("search",
    { q, first: from, speaker, kind, since, until, all: all ? 1 : "" }, { signal });
  if (signal.aborted) return;
  const words = splitWords(q);
  const makeRow = (message) => {
    const elsewhere = message.thread !== undefined && message.thread !== memory.thread;
    const there = formatAddress("timeline", message.id, { found: q, in: elsewhere ? message.thread : "" });
    return makeMessageRow(message, { words, when: `${formatDay(message.at)}, ${formatClock(message.at)}`, there });
  };
  const exact = found.filter((message) => message.has_words).map(makeRow);
  const close = found.filter((message) => !message.has_words).map(makeRow);
  const isPaged = from > 0 || next !== null;
  replaceContent(list,
    h("p", { class: "hint found", role: "status" }, tr("dashboard-found", { number: total })),
    ...exact,
    close.length ? h("h3", { class: "near" }, tr(total ? "search-near" : "search-close")) : null,
    ...close,
    isPaged ? makePager(from > 0 ? () => turn(before) : null, next !== null ? () => turn(next) : null) : null);
}
