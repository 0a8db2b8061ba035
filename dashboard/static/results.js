// What a search found: messages that hold the words, and apart from them those that only mean nearly the same.

import { addressOf } from "./address.js";
import { h } from "./dom.js";
import { messageRow, wordsOf } from "./messages.js";
import { memory, read } from "./memory.js";
import { pagerOf } from "./parts.js";
import { swap } from "./swap.js";
import { clockOf, dayOf, tr } from "./texts.js";

/** Shows the results for `filter` in `list`, from `filter.from` on. `turn(from)`: goes to another part of them. */
export async function showResults(list, filter, { turn, signal }) {
  const { q, from, speaker, kind, since, until, all } = filter;
  const { found, total, near, next, before } = await read("search",
    { q, first: from, speaker, kind, since, until, all: all ? 1 : "" }, { signal });
  if (signal.aborted) return;
  const words = wordsOf(q);
  const row = (message) => {
    const elsewhere = message.thread !== undefined && message.thread !== memory.thread;
    const there = addressOf("timeline", message.id, { found: q, in: elsewhere ? message.thread : "" });
    return messageRow(message, { words, when: `${dayOf(message.at)}, ${clockOf(message.at)}`, there });
  };
  const exact = found.filter((message) => message.has_words).map(row);
  const close = found.filter((message) => !message.has_words).map(row);
  const isPaged = from > 0 || next !== null;
  swap(list,
    h("p", { class: "hint found", role: "status" }, tr("dashboard-found", { number: total })),
    ...exact,
    close.length ? h("h3", { class: "near" }, total ? tr("dashboard-found-near", { number: near }) : tr("search-close")) : null,
    ...close,
    isPaged ? pagerOf(from > 0 ? () => turn(before) : null, next !== null ? () => turn(next) : null) : null);
}
