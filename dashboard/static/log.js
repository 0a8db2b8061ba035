// The window of a conversation that stands in the document: what leaves it at one end is read again when somebody scrolls
// there. Knows neither the search nor the address.

import { h, hueOf } from "./dom.js";
import { messageRow } from "./messages.js";
import { STEP, read, takeOpening } from "./memory.js";
import { button, empty } from "./parts.js";
import { hold } from "./swap.js";
import { dayKey, dayOf, spanOf, tr } from "./texts.js";

const WINDOW = 120; // messages in the document
const NEAR = 900; // pixels from an end at which more is read
const FOLLOWS = 120; // pixels from the end within which the reader follows what arrives

/** Owns the rows of `list` until `signal` is aborted. `filter`: {speaker, kind, since}. */
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

  ask(more) {
    const { speaker, kind } = this.filter;
    return read("timeline", { speaker, kind, limit: STEP, ...more }, { signal: this.signal });
  }

  /** Opens at the newest messages, or at the chosen day. */
  async openEnd() {
    const { since } = this.filter;
    const isPlain = !since && !this.filter.speaker && !this.filter.kind;
    this.take((isPlain && takeOpening("timeline")) || await this.ask(since ? { day: since } : {}), "all");
    this.place(() => scrollTo(0, since ? 0 : document.documentElement.scrollHeight));
  }

  /** Opens around a message, at the words for which it was found. */
  async openAt(id, words) {
    this.words = words;
    const whole = read("message", { id }, { signal: this.signal });
    const [before, { message }, after] = await Promise.all([this.ask({ before: id }), whole, this.ask({ after: id })]);
    this.take({
      messages: [...before.messages, message, ...after.messages], summaries: [...before.summaries, ...after.summaries],
      has_older: before.has_older, has_newer: after.has_newer,
    }, "all");
    this.target = id;
    this.show();
    this.place(() => {
      const row = this.list.querySelector(`[data-id="${id}"]`);
      (row?.querySelector("mark") ?? row)?.scrollIntoView({ block: "center" });
      row?.classList.add("flash");
    });
  }

  /** Scrolls once, and from then on reads on where the reader comes near an end. */
  place(scroll) {
    if (this.signal.aborted) return;
    scroll();
    const look = () => {
      if (this.reading || !this.list.isConnected) return;
      const { top, bottom } = this.list.getBoundingClientRect();
      if (this.hasOlder && top > -NEAR) this.more({ before: this.rows[0]?.id }, "start");
      else if (this.hasNewer && bottom < innerHeight + NEAR) this.more(this.rows.length ? { after: this.rows.at(-1).id } : {}, "end");
    };
    addEventListener("scroll", look, { passive: true, signal: this.signal });
    look();
  }

  more(where, end) {
    return this.alone(async () => this.take(await this.ask(where), end));
  }

  /** Reads the window again: something arrived, got other words or is gone. At its end it follows what arrives. */
  renew() {
    return this.alone(async () => {
      const { since } = this.filter;
      const last = this.hasNewer ? this.rows.at(-1) : null;
      const follows = !last && !since && innerHeight + scrollY > document.documentElement.scrollHeight - FOLLOWS;
      const found = await this.ask({ limit: WINDOW, ...(last ? { before: last.id } : since ? { day: since } : {}) });
      this.take(last ? { ...found, messages: [...found.messages, last], has_newer: true } : found, "all");
      if (follows) scrollTo({ top: document.documentElement.scrollHeight, behavior: "smooth" });
    });
  }

  async alone(work) {
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

  take({ messages, summaries, has_older: older, has_newer: newer }, end) {
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
    if (end === "all" || messages.length) this.show();
  }

  /** Draws the window without moving what is being read. */
  show() {
    const anchor = [...this.list.querySelectorAll("[data-id]")].find((row) => row.getBoundingClientRect().bottom > 80);
    const top = anchor?.getBoundingClientRect().top;
    const giveBack = hold(this.list);
    const isFiltered = this.filter.speaker || this.filter.kind || this.filter.since;
    const nothing = () => empty(isFiltered ? tr("dashboard-found", { number: 0 }) : tr("dashboard-messages-none"));
    this.list.replaceChildren(...(this.rows.length ? this.nodes() : [nothing()]));
    giveBack(this.list);
    const again = anchor && this.list.querySelector(`[data-id="${anchor.dataset.id}"]`);
    if (again) scrollBy(0, again.getBoundingClientRect().top - top);
  }

  nodes() {
    const covered = new Set();
    const nodes = daysOf(this.rows).map(({ at, messages }) => {
      const rows = messages.flatMap((message) => {
        const row = messageRow(message, message.id === this.target ? { words: this.words, isWhole: true } : {});
        const cover = message.chunk !== null && !covered.has(message.chunk) ? this.covers.get(message.chunk) : null;
        covered.add(message.chunk);
        return cover ? [coverOf(cover), row] : [row];
      });
      const heading = h("h3", {}, h("time", { dateTime: dayKey(at) }, dayOf(at)));
      return h("section", { class: "day", "aria-label": dayOf(at) }, heading, rows);
    });
    if (this.hasNewer) nodes.push(h("div", { class: "to-newest" },
      button(tr("dashboard-newest"), () => this.list.dispatchEvent(new Event("newest")), { symbol: "down", kind: "main" })));
    return nodes;
  }
}

/** Messages by the day on which they were said, as [{at, messages}]. */
function daysOf(messages) {
  const days = [];
  for (const message of messages) {
    if (days.at(-1)?.day !== dayKey(message.at)) days.push({ day: dayKey(message.at), at: message.at, messages: [] });
    days.at(-1).messages.push(message);
  }
  return days;
}

function coverOf(summary) {
  const title = `${tr("summaries-kind-1")} · ${tr("shared-messages", { messages: summary.messages })}`;
  return h("details", { class: "cover", data: { key: `cover-${summary.id}` }, vars: { "--hue": hueOf(summary.id) } },
    h("summary", {}, h("b", {}, title), h("span", {}, spanOf(summary.first_at, summary.last_at))),
    h("p", { class: "text", dir: "auto" }, summary.text),
    h("p", {}, h("a", { href: `#summaries/${summary.id}` }, tr("why-details"))));
}
