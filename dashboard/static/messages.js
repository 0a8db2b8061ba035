// One message: its row, and the sheet with all of it, its turn, and what can be done with it.

import { h, hueOf, icon } from "./dom.js";
import { forget } from "./forget.js";
import { read } from "./memory.js";
import { attempt, button, closeSheet, redraw, roundButton, sheet } from "./parts.js";
import { clockOf, fullDate, has, tr } from "./texts.js";

/** Who said it, as people read it. */
export const speakerOf = ({ speaker, role }) => speaker || (role === "user" ? tr("dashboard-person") : tr("dashboard-bot"));

/** A row of the timeline. `words` are marked in it; `leads`: it leads to its place among the others. */
export function messageRow(message, { words = [], when = "", leads = false } = {}) {
  const origin = message.origin && has(`dashboard-of-${message.origin}`) ? h("span", { class: "origin" }, tr(`dashboard-of-${message.origin}`)) : null;
  return h("article", { class: `said ${message.role}${message.chunk === null ? "" : " archived"}`, data: { id: String(message.id) }, vars: { "--hue": hueOf(message.chunk) } },
    h("header", {}, h("b", { dir: "auto" }, speakerOf(message)), origin, message.edited_at ? h("span", { class: "origin" }, tr("dashboard-edited")) : null,
      h("time", { dateTime: message.at }, when || clockOf(message.at)),
      roundButton("more", tr("dashboard-more-about", { name: speakerOf(message) }), () => openMessage(message))),
    h("p", { class: "text", dir: "auto" }, marked(message.text, words), message.is_cut ? "…" : ""),
    leads ? h("p", { class: "leads" }, h("a", { href: `#timeline/${message.id}` }, tr("dashboard-show-there"))) : null);
}

/** A short quotation, which leads to its message. */
export const quoteOf = (message, ...more) => h("li", { class: "quote" },
  h("p", { class: "quote-head" }, h("b", { dir: "auto" }, speakerOf(message)), h("a", { href: `#timeline/${message.id}` }, fullDate(message.at))),
  h("p", { class: "text clamp", dir: "auto" }, message.text), ...more);

/** All of a message, with what can be done. */
export const openMessage = (message) => attempt(async () => {
  const thread = message.thread === undefined ? {} : { thread: message.thread };
  const { message: whole, turn } = await read("message", { id: message.id, ...thread });
  const others = turn.filter((one) => one.id !== whole.id);
  const gone = () => { closeSheet(); history.replaceState(null, "", location.hash.split("/")[0]); redraw(); };
  sheet(speakerOf(whole),
    h("p", { class: "hint" }, fullDate(whole.at), whole.edited_at ? ` · ${tr("dashboard-edited")}` : ""),
    h("p", { class: "text", dir: "auto" }, whole.text),
    whole.chunk === null ? null : h("p", {}, h("a", { href: `#summaries/${whole.chunk}`, on: { click: closeSheet } }, tr("summaries-kind-1"))),
    others.length ? h("details", {}, h("summary", {}, tr("dashboard-turn")), h("ul", { class: "quotes" }, others.map((one) => quoteOf(one)))) : null,
    h("div", { class: "actions" },
      whole.link ? h("a", { class: "button", href: whole.link, target: "_blank", rel: "noopener noreferrer" }, icon("link"), tr("dashboard-in-telegram")) : null,
      button(tr("forget-it"), () => forget({ what: "messages", ids: [whole.id], ...thread }, gone), { kind: "bad" }),
      others.length ? button(tr("forget-turn"), () => forget({ what: "turn", ids: [whole.id], ...thread }, gone), { kind: "bad" }) : null));
});

function marked(text, words) {
  if (!words.length) return text;
  const wanted = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "iu");
  return text.split(wanted).map((part, index) => (index % 2 ? h("mark", {}, part) : part));
}
