// A message as a row of the timeline, as a quote, and as a sheet with its turn and its actions.

import { h, pickHue, makeIcon } from "./dom.js";
import { forget } from "./forget.js";
import { read } from "./memory.js";
import { attempt, makeButton, closeSheet, requestRedraw, makeRoundButton, openSheet } from "./parts.js";
import { markWords, makeRichNodes } from "./rich.js";
import { formatClock, formatFullDate, hasText, tr } from "./texts.js";

const FOLDED = 1_200; // characters from which a message is folded
const FOLDED_LINES = 16;

/** Return the words of a query to highlight in its results, without quotation marks and single letters. */
export const splitWords = (query) => query.split(/[\s"“”„«»]+/u).filter((word) => word.length > 1 || /\p{Script=Han}/u.test(word));

/** Return the name of the speaker. */
export const nameSpeaker = ({ speaker, role }) => speaker || (role === "user" ? tr("dashboard-person") : tr("dashboard-bot"));

/** Create a row of the timeline. `words` are highlighted. If `isWhole`, a long text is not folded. `there` is a URL to link to. */
export function makeMessageRow(message, { words = [], when = "", there = "", isWhole = false } = {}) {
  const known = message.origin && hasText(`dashboard-of-${message.origin}`);
  const origin = known ? h("span", { class: "origin" }, tr(`dashboard-of-${message.origin}`)) : null;
  const edited = message.edited_at ? h("span", { class: "origin" }, tr("dashboard-edited")) : null;
  const archived = message.chunk === null ? "" : " archived";
  return h("article", { class: `said ${message.role}${archived}`, data: { id: String(message.id) },
    vars: { "--hue": pickHue(message.chunk) } },
    h("header", {}, h("b", { dir: "auto" }, nameSpeaker(message)), origin, edited,
      h("time", { dateTime: message.at }, when || formatClock(message.at)),
      makeRoundButton("more", tr("dashboard-more-about", { name: nameSpeaker(message) }), () => openMessage(message))),
    makeFoldableText(message, words, isWhole),
    there ? h("p", { class: "leads" }, h("a", { href: there }, tr("dashboard-show-there"))) : null);
}

/** Return the text of a message. A long one is folded and gets a button that shows all of it. */
function makeFoldableText(message, words, isWhole) {
  const isLong = !isWhole && (message.is_cut || message.text.length > FOLDED || message.text.split("\n").length > FOLDED_LINES);
  const text = makeBody(message, words);
  if (!isLong) return text;
  const place = h("div", { class: "folded" }, text);
  const unfold = async () => {
    const whole = message.is_cut ? (await read("message", { id: message.id, ...pickThread(message) })).message : message;
    place.replaceWith(makeBody(whole, words));
    all.remove();
  };
  const all = makeButton(tr("dashboard-show-all"), (pressed) => attempt(unfold, pressed), { kind: "small" });
  return [place, all];
}

/** Create the text of a message, formatted as in the chat. */
function makeBody(message, words = []) {
  if (message.body) return h("div", { class: "text rich", dir: "auto" }, makeRichNodes(message.body, words));
  return h("p", { class: "text", dir: "auto" }, markWords(message.text, words), message.is_cut ? "…" : "");
}

const pickThread = (message) => (message.thread === undefined ? {} : { thread: message.thread });

/** Create a short quote with a link to its message. */
export const makeQuote = (message, ...more) => h("li", { class: "quote" },
  h("p", { class: "quote-head" }, h("b", { dir: "auto" }, nameSpeaker(message)),
    h("a", { href: `#timeline/${message.id}` }, formatFullDate(message.at)),
    message.edited_at ? h("span", { class: "origin" }, tr("dashboard-edited")) : null),
  h("p", { class: "text clamp", dir: "auto" }, message.text), ...more);

/** Open a sheet with a whole message and its actions. */
export const openMessage = (message) => attempt(async () => {
  const thread = pickThread(message);
  const { message: whole, turn } = await read("message", { id: message.id, ...thread });
  const others = turn.filter((other) => other.id !== whole.id);
  const closeAndRedraw = () => { closeSheet(); requestRedraw(); };
  openSheet(nameSpeaker(whole),
    h("p", { class: "hint" }, formatFullDate(whole.at), whole.edited_at ? ` · ${tr("dashboard-edited")}` : ""),
    makeBody(whole),
    whole.chunk === null ? null : h("p", {}, h("a", { href: `#summaries/${whole.chunk}`, on: { click: closeSheet } },
      tr("summaries-kind-1"))),
    others.length ? h("details", {}, h("summary", {}, tr("dashboard-turn")),
      h("ul", { class: "quotes" }, others.map((other) => makeQuote(other)))) : null,
    h("div", { class: "actions" },
      makeButton(tr("dashboard-copy"), (pressed) => attempt(async () =>
        { await navigator.clipboard.writeText(whole.text); return { said: tr("dashboard-copied") }; }, pressed)),
      whole.link ? h("a", { class: "button", href: whole.link, target: "_blank", rel: "noopener noreferrer" }, makeIcon("link"),
        tr("dashboard-in-telegram")) : null,
      makeButton(tr("forget-it"), () => forget({ what: "messages", ids: [whole.id], ...thread }, closeAndRedraw), { kind: "bad" }),
      others.length ? makeButton(tr("forget-turn"), () => forget({ what: "turn", ids: [whole.id], ...thread }, closeAndRedraw), { kind: "bad" }) : null));
});
