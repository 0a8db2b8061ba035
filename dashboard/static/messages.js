// One message: its row, and the sheet with all of it, its turn, and what can be done with it.

import { h, hueOf, icon } from "./dom.js";
import { forget } from "./forget.js";
import { read } from "./memory.js";
import { attempt, button, closeSheet, redraw, roundButton, sheet } from "./parts.js";
import { markWords, richNodes } from "./rich.js";
import { clockOf, fullDate, has, tr } from "./texts.js";

const FOLDED = 1_200; // characters from which a message is folded
const FOLDED_LINES = 16;

/** The words of a search that are marked in what it found: without quotation marks, and not single letters. */
export const wordsOf = (query) => query.split(/[\s"“”„«»]+/u).filter((word) => word.length > 1 || /\p{Script=Han}/u.test(word));

/** Who said it, as people read it. */
export const speakerOf = ({ speaker, role }) => speaker || (role === "user" ? tr("dashboard-person") : tr("dashboard-bot"));

/** A row of the timeline. `words` are marked in it; `isWhole`: nothing of it is folded away; `there`: an address to which
 * it leads.
 */
export function messageRow(message, { words = [], when = "", there = "", isWhole = false } = {}) {
  const known = message.origin && has(`dashboard-of-${message.origin}`);
  const origin = known ? h("span", { class: "origin" }, tr(`dashboard-of-${message.origin}`)) : null;
  const edited = message.edited_at ? h("span", { class: "origin" }, tr("dashboard-edited")) : null;
  const archived = message.chunk === null ? "" : " archived";
  return h("article", { class: `said ${message.role}${archived}`, data: { id: String(message.id) },
    vars: { "--hue": hueOf(message.chunk) } },
    h("header", {}, h("b", { dir: "auto" }, speakerOf(message)), origin, edited,
      h("time", { dateTime: message.at }, when || clockOf(message.at)),
      roundButton("more", tr("dashboard-more-about", { name: speakerOf(message) }), () => openMessage(message))),
    foldable(message, words, isWhole),
    there ? h("p", { class: "leads" }, h("a", { href: there }, tr("dashboard-show-there"))) : null);
}

/** The text of a message; of a long one the beginning, and a button for the rest. */
function foldable(message, words, isWhole) {
  const isLong = !isWhole && (message.is_cut || message.text.length > FOLDED || message.text.split("\n").length > FOLDED_LINES);
  const text = bodyOf(message, words);
  if (!isLong) return text;
  const place = h("div", { class: "folded" }, text);
  const unfold = async () => {
    const whole = message.is_cut ? (await read("message", { id: message.id, ...threadOf(message) })).message : message;
    place.replaceWith(bodyOf(whole, words));
    all.remove();
  };
  const all = button(tr("dashboard-show-all"), (pressed) => attempt(unfold, pressed), { kind: "small" });
  return [place, all];
}

/** What a message says, as the chat shows it. */
function bodyOf(message, words = []) {
  if (message.body) return h("div", { class: "text rich", dir: "auto" }, richNodes(message.body, words));
  return h("p", { class: "text", dir: "auto" }, markWords(message.text, words), message.is_cut ? "…" : "");
}

const threadOf = (message) => (message.thread === undefined ? {} : { thread: message.thread });

/** A short quotation, which leads to its message. */
export const quoteOf = (message, ...more) => h("li", { class: "quote" },
  h("p", { class: "quote-head" }, h("b", { dir: "auto" }, speakerOf(message)),
    h("a", { href: `#timeline/${message.id}` }, fullDate(message.at))),
  h("p", { class: "text clamp", dir: "auto" }, message.text), ...more);

/** All of a message, with what can be done. */
export const openMessage = (message) => attempt(async () => {
  const thread = threadOf(message);
  const { message: whole, turn } = await read("message", { id: message.id, ...thread });
  const others = turn.filter((one) => one.id !== whole.id);
  const gone = () => { closeSheet(); redraw(); };
  sheet(speakerOf(whole),
    h("p", { class: "hint" }, fullDate(whole.at), whole.edited_at ? ` · ${tr("dashboard-edited")}` : ""),
    bodyOf(whole),
    whole.chunk === null ? null : h("p", {}, h("a", { href: `#summaries/${whole.chunk}`, on: { click: closeSheet } },
      tr("summaries-kind-1"))),
    others.length ? h("details", {}, h("summary", {}, tr("dashboard-turn")),
      h("ul", { class: "quotes" }, others.map((one) => quoteOf(one)))) : null,
    h("div", { class: "actions" },
      button(tr("dashboard-copy"), (pressed) => attempt(async () =>
        { await navigator.clipboard.writeText(whole.text); return { said: tr("dashboard-copied") }; }, pressed)),
      whole.link ? h("a", { class: "button", href: whole.link, target: "_blank", rel: "noopener noreferrer" }, icon("link"),
        tr("dashboard-in-telegram")) : null,
      button(tr("forget-it"), () => forget({ what: "messages", ids: [whole.id], ...thread }, gone), { kind: "bad" }),
      others.length ? button(tr("forget-turn"), () => forget({ what: "turn", ids: [whole.id], ...thread }, gone), { kind: "bad" }) : null));
});
