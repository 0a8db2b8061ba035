// Telegram's text with entities (offsets in UTF-16 units, as JavaScript counts) as page nodes.
// Pure: knows nothing of chats; a clicked command goes to the callback that it is given.

import { h } from "./dom.js";
import { tr } from "./texts.js";

const BLOCKS = new Set(["pre", "blockquote", "expandable_blockquote"]);
const SAFE_LINK = /^(https?:|tg:|mailto:|tel:)/i;

/** A fragment that shows `text` with `entities`; `onCommand(command)` is called for a clicked /command. */
export function renderText(text, entities = [], onCommand = () => {}) {
  const sorted = [...entities]
    .filter((entity) => entity.length > 0 && entity.offset < text.length)
    .sort((a, b) => a.offset - b.offset || b.length - a.length);
  const fragment = document.createDocumentFragment();
  fragment.append(...nodesOf(text, 0, text.length, sorted, onCommand));
  return fragment;
}

// Entities nest. One that sticks out of the entity around it is cut in two at that border, so that any input draws.
function nodesOf(text, start, end, entities, onCommand) {
  const nodes = [];
  let at = start;
  const queue = [...entities];
  while (queue.length) {
    const entity = queue.shift();
    const first = Math.max(entity.offset, at);
    const last = Math.min(entity.offset + entity.length, end);
    if (first >= last) continue;
    if (first > at) nodes.push(text.slice(at, first));
    const inner = [];
    while (queue.length && queue[0].offset < last) {
      const next = queue.shift();
      inner.push(next);
      const rest = next.offset + next.length - last;
      if (rest > 0) queue.splice(insertionPoint(queue, last), 0, { ...next, offset: last, length: rest });
    }
    const children = nodesOf(text, first, last, inner, onCommand);
    nodes.push(elementOf(entity, text.slice(first, last), children, onCommand));
    at = last;
    // A block ends its line by itself: the line break after it would show as an empty line.
    if (BLOCKS.has(entity.type) && text[at] === "\n" && at < end) at += 1;
  }
  if (at < end) nodes.push(text.slice(at, end));
  return nodes;
}

function insertionPoint(queue, offset) {
  const index = queue.findIndex((entity) => entity.offset >= offset);
  return index === -1 ? queue.length : index;
}

function elementOf(entity, raw, children, onCommand) {
  switch (entity.type) {
    case "bold": return h("strong", {}, children);
    case "italic": return h("em", {}, children);
    case "underline": return h("u", {}, children);
    case "strikethrough": return h("s", {}, children);
    case "code": return h("code", {}, children);
    case "pre": return preOf(entity, children);
    case "spoiler": return spoilerOf(children);
    case "blockquote": return h("blockquote", {}, children);
    case "expandable_blockquote": return expandableOf(children);
    case "text_link": return linkOf(entity.url ?? "", children);
    case "url": return linkOf(/^[a-z][a-z0-9+.-]*:/i.test(raw) ? raw : `https://${raw}`, children);
    case "email": return linkOf(`mailto:${raw}`, children);
    case "phone_number": return linkOf(`tel:${raw}`, children);
    case "bot_command":
      return h("button", { type: "button", class: "inline-link", dir: "ltr", on: { click: () => onCommand(raw) } }, children);
    case "mention": case "text_mention": case "hashtag": case "cashtag":
      return h("span", { class: "tag" }, children);
    default: return h("span", {}, children);
  }
}

function linkOf(url, children) {
  if (!SAFE_LINK.test(url)) return h("span", {}, children);
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer", title: url }, children);
}

function preOf(entity, children) {
  const code = h("code", {}, children);
  const copy = h("button", { type: "button", class: "copy", "aria-label": tr("page-copy-code") }, entity.language || tr("page-copy-code"));
  copy.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(code.textContent);
    copy.textContent = tr("page-copied");
  });
  return h("pre", { tabindex: "0", "aria-label": [tr("page-code"), entity.language].filter(Boolean).join(": ") }, copy, code);
}

function spoilerOf(children) {
  const spoiler = h("span", { class: "spoiler", role: "button", tabindex: "0", "aria-label": tr("page-hidden-text") }, children);
  const show = () => {
    spoiler.classList.add("shown");
    for (const name of ["role", "tabindex", "aria-label"]) spoiler.removeAttribute(name);
  };
  spoiler.addEventListener("click", show);
  spoiler.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); show(); }
  });
  return spoiler;
}

function expandableOf(children) {
  const body = h("span", { class: "quote-body" }, children);
  const more = h("button", { type: "button", class: "inline-link quote-more", "aria-expanded": "false" }, tr("page-show-all"));
  const quote = h("blockquote", { class: "expandable" }, body, more);
  more.addEventListener("click", () => {
    const open = quote.classList.toggle("open");
    more.setAttribute("aria-expanded", String(open));
    more.textContent = open ? tr("page-show-less") : tr("page-show-all");
  });
  // What is short is shown whole, and has nothing more to show.
  requestAnimationFrame(() => { more.hidden = body.scrollHeight <= body.clientHeight + 1; });
  return quote;
}
