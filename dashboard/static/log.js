// The part of a conversation that is in the document. Scrolling loads more at one end and removes rows at the other.

import { h, pickHue } from "./dom.js";
import { makeMessageRow } from "./messages.js";
import { STEP, read, takeOpening } from "./memory.js";
import { makeButton, makeEmptyNote } from "./parts.js";
import { saveControls } from "./swap.js";
import { formatDayKey, formatDay, formatSpan, tr } from "./texts.js";

const WINDOW = 120; // messages in the document
const NEAR = 900; // pixels from an end at which more is read
const FOLLOWS = 120; // pixels from the end within which the reader follows what arrives

/** Fills `list` with messages until `signal` is aborted. `filter` is {speaker, kind, since}. */
export class Log {
  constructor(list, filter, signal) {
    this.list = list;
    this.filter = filter;
    this.signal = signal;
    this.rows = [];
    this.covers = new Map(); // the summaries of level 1 by their ids
    this.hasOlder = this.hasNewer = false;
    this.target = 0; // the message that was asked for, and the words in it
    this.words = [];
    this.reading = null; // what is being read at one end or again
  }

  readPage(more) {
    const { speaker, kind } = this.filter;
    return read("timeline", { speaker, kind, limit: STEP, ...more }, { signal: this.signal });
  }

  /** Show the newest messages, or the chosen day. */
  async showNewest() {
    const { since } = this.filter;
    const isPlain = !since && !this.filter.speaker && !this.filter.kind;
    this.addMessages((isPlain && takeOpening("timeline")) || await this.readPage(since ? { day: since } : {}), "all");
    this.scrollAndWatch(() => scrollTo(0, since ? 0 : document.documentElement.scrollHeight));
  }

  /** Show a message with its neighbours, scrolled to the words for which it was found. */
  async showMessage(id, words) {
    this.words = words;
    const whole = read("message", { id }, { signal: this.signal });
    const [before, { message }, after] = await Promise.all([this.readPage({ before: id }), whole, this.readPage({ after: id })]);
    this.addMessages({
      messages: [...before.messages, message, ...after.messages], summaries: [...before.summaries, ...after.summaries],
      has_older: before.has_older, has_newer: after.has_newer,
    }, "all");
    this.target = id;
    this.draw();
    this.scrollAndWatch(() => {
      const row = this.list.querySelector(`[data-id="${id}"]`);
      (row?.querySelector("mark") ?? row)?.scrollIntoView({ block: "center" });
      row?.classList.add("flash");
    });
  }

  /** Scroll once, and from then on load more messages near both ends. */
  scrollAndWatch(scroll) {
    if (this.signal.aborted) return;
    scroll();
    const loadNearEnd = () => {
      if (this.reading || !this.list.isConnected) return;
      const { top, bottom } = this.list.getBoundingClientRect();
      if (this.hasOlder && top > -NEAR) this.loadMore({ before: this.rows[0]?.id }, "start");
      else if (this.hasNewer && bottom < innerHeight + NEAR) this.loadMore(this.rows.length ? { after: this.rows.at(-1).id } : {}, "end");
    };
    addEventListener("scroll", loadNearEnd, { passive: true, signal: this.signal });
    loadNearEnd();
  }

  loadMore(where, end) {
    return this.runAlone(async () => this.addMessages(await this.readPage(where), end));
  }

  /** Load the shown messages again, because some were added, edited or erased. At the end, scroll to new ones. */
  reload() {
    return this.runAlone(async () => {
      const { since } = this.filter;
      const last = this.hasNewer ? this.rows.at(-1) : null;
      const follows = !last && !since && innerHeight + scrollY > document.documentElement.scrollHeight - FOLLOWS;
      const found = await this.readPage({ limit: WINDOW, ...(last ? { before: last.id } : since ? { day: since } : {}) });
      this.addMessages(last ? { ...found, messages: [...found.messages, last], has_newer: true } : found, "all");
      if (follows) scrollTo({ top: document.documentElement.scrollHeight, behavior: "smooth" });
    });
  }

  async runAlone(work) {
    if (this.reading) return;
    this.reading = work();
    try {
      await this.reading;
    } catch (problem) {
      if (!this.signal.aborted) throw problem;
    } finally {
      this.reading = null;
    }
  }

  addMessages({ messages, summaries, has_older: older, has_newer: newer }, end) {
    if (this.signal.aborted) return;
    for (const summary of summaries) this.covers.set(summary.id, summary);
    if (end === "all") [this.rows, this.hasOlder, this.hasNewer] = [messages, older, newer];
    if (end === "start") {
      const rows = [...messages, ...this.rows];
      [this.rows, this.hasOlder, this.hasNewer] = [rows.slice(0, WINDOW), older, this.hasNewer || rows.length > WINDOW];
    }
    if (end === "end") {
      const rows = [...this.rows, ...messages];
      [this.rows, this.hasNewer, this.hasOlder] = [rows.slice(-WINDOW), newer, this.hasOlder || rows.length > WINDOW];
    }
    if (end === "all" || messages.length) this.draw();
  }

  /** Draw the messages without moving the text that the reader sees. */
  draw() {
    const anchor = [...this.list.querySelectorAll("[data-id]")].find((row) => row.getBoundingClientRect().bottom > 80);
    const top = anchor?.getBoundingClientRect().top;
    const giveBack = saveControls(this.list);
    const isFiltered = this.filter.speaker || this.filter.kind || this.filter.since;
    const makeEmpty = () => makeEmptyNote(isFiltered ? tr("dashboard-found", { number: 0 }) : tr("dashboard-messages-none"));
    this.list.replaceChildren(...(this.rows.length ? this.makeNodes() : [makeEmpty()]));
    giveBack(this.list);
    const again = anchor && this.list.querySelector(`[data-id="${anchor.dataset.id}"]`);
    if (again) scrollBy(0, again.getBoundingClientRect().top - top);
  }

  makeNodes() {
    const covered = new Set();
    const nodes = groupByDay(this.rows).map(({ at, messages }) => {
      const rows = messages.flatMap((message) => {
        const row = makeMessageRow(message, message.id === this.target ? { words: this.words, isWhole: true } : {});
        const cover = message.chunk !== null && !covered.has(message.chunk) ? this.covers.get(message.chunk) : null;
        covered.add(message.chunk);
        return cover ? [makeCover(cover), row] : [row];
      });
      const heading = h("h3", {}, h("time", { dateTime: formatDayKey(at) }, formatDay(at)));
      return h("section", { class: "day", "aria-label": formatDay(at) }, heading, rows);
    });
    if (this.hasNewer) nodes.push(h("div", { class: "to-newest" },
      makeButton(tr("dashboard-newest"), () => this.list.dispatchEvent(new Event("newest")), { symbol: "down", kind: "main" })));
    return nodes;
  }
}

/** Group messages by day, as [{day, at, messages}]. */
function groupByDay(messages) {
  const days = [];
  for (const message of messages) {
    if (days.at(-1)?.day !== formatDayKey(message.at)) days.push({ day: formatDayKey(message.at), at: message.at, messages: [] });
    days.at(-1).messages.push(message);
  }
  return days;
}

function makeCover(summary) {
  const title = `${tr("summaries-kind-1")} · ${tr("shared-messages", { messages: summary.messages })}`;
  return h("details", { class: "cover", data: { key: `cover-${summary.id}` }, vars: { "--hue": pickHue(summary.id) } },
    h("summary", {}, h("b", {}, title), h("span", {}, formatSpan(summary.first_at, summary.last_at))),
    h("p", { class: "text", dir: "auto" }, summary.text),
    h("p", {}, h("a", { href: `#summaries/${summary.id}` }, tr("why-details"))));
}
