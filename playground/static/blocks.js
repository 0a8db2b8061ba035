// The remembered messages as small blocks: archived ones grouped and coloured by chunk, active ones after them.

import { fullDate, h, hueOf } from "./dom.js";
import { chunkNumber } from "./pyramid.js";
import { tr } from "./texts.js";

let chosen = null; // id of the message whose text is open

export const blocksSection = {
  id: "blocks",
  title: tr("page-messages"),
  draw({ messages, owner }) {
    if (!messages.length) return { note: "", body: h("p", { class: "hint" }, tr(owner.enabled ? "page-messages-none" : "page-messages-off")) };
    const detail = h("div", { class: "detail", "aria-live": "polite" });
    const groups = groupsOf(messages);
    const body = h("div", {}, h("div", { class: "chunks" }, groups.map((group, index) => groupNode(group, detail, index === 0))), detail, legend(groups));
    body.addEventListener("keydown", walk);
    showDetail(detail, messages.find((message) => message.id === chosen));
    const hidden = owner.total - messages.length;
    return { note: hidden > 0 ? tr("page-messages-newest", { shown: messages.length, total: owner.total }) : tr("page-messages-count", { number: messages.length }), body };
  },
};

// Messages of one chunk are shown together even if another topic's came between them.
function groupsOf(messages) {
  const groups = new Map();
  for (const message of messages) {
    const key = message.chunk_id === null ? null : String(message.chunk_id);
    groups.set(key, [...(groups.get(key) ?? []), message]);
  }
  return [...groups].sort(([a], [b]) => (a === null) - (b === null)).map(([chunk, members]) => ({ chunk, members }));
}

function groupNode({ chunk, members }, detail, first) {
  const archived = chunk !== null;
  const count = tr("page-messages-count", { number: members.length });
  const label = archived ? tr("page-messages-archived", { messages: count, id: String(chunk) }) : tr("page-messages-active", { messages: count });
  return h("div", { class: archived ? "chunk" : "chunk live", role: "group", "aria-label": label, title: label, vars: { "--hue": hueOf(chunkNumber(chunk)) } },
    members.map((message, index) => blockOf(message, first && index === 0, detail)));
}

// One tab stop in all, arrows within: three hundred stops would be too many.
function blockOf(message, first, detail) {
  const block = h("button", {
    type: "button", class: `block ${message.role}`, tabIndex: first ? 0 : -1,
    data: { key: `m${message.id}`, message: String(message.id), chunk: message.chunk_id === null ? "" : String(message.chunk_id) },
    "aria-label": `${speakerOf(message)}: ${message.text}`, title: `${speakerOf(message)}: ${message.text}`, "aria-pressed": String(message.id === chosen),
  });
  block.addEventListener("click", () => {
    chosen = chosen === message.id ? null : message.id;
    for (const other of block.closest(".chunks").querySelectorAll(".block")) other.setAttribute("aria-pressed", String(other.dataset.message === String(chosen)));
    showDetail(detail, chosen === null ? undefined : message);
  });
  return block;
}

const speakerOf = (message) => message.speaker || (message.role === "user" ? tr("page-legend-person") : tr("page-legend-bot"));

function showDetail(detail, message) {
  detail.hidden = !message;
  if (!message) return detail.replaceChildren();
  return detail.replaceChildren(
    h("p", { class: "detail-head" }, h("b", {}, speakerOf(message)), h("span", {}, `#${message.id} · ${fullDate(new Date(message.created_at))}`)),
    h("p", { class: "detail-text", dir: "auto" }, message.text),
    h("p", { class: "hint" }, message.chunk_id === null ? tr("page-message-active") : tr("page-message-archived", { id: String(message.chunk_id) })));
}

function legend(groups) {
  const some = groups.some((group) => group.chunk !== null);
  return h("p", { class: "legend" },
    h("span", {}, h("i", { class: "block user" }), tr("page-legend-person")), h("span", {}, h("i", { class: "block assistant" }), tr("page-legend-bot")),
    some ? h("span", {}, tr("page-legend-colour")) : null);
}

function walk(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const blocks = [...event.currentTarget.querySelectorAll("button.block")];
  const at = blocks.indexOf(document.activeElement);
  if (!step || at === -1) return;
  event.preventDefault();
  blocks[at + step]?.focus();
}
