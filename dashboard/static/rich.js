// What the bot wrote in Markdown, as elements: the server has parsed it, and nothing of it is ever read as HTML.

import { h } from "./dom.js";

// Everything else is shown as the words in it. Nothing here is a script, a frame or a picture of another server.
const TAGS = new Set(["p", "h4", "b", "i", "s", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr",
  "th", "td", "br", "hr"]);
const SAFE = /^(https?:|mailto:|tg:)/i;

/** Nodes for a list of texts, [tag, …children] and ["a", address, …children]; `words` are marked in them. */
export function richNodes(body, words = []) {
  return body.flatMap((part) => {
    if (typeof part === "string") return markWords(part, words);
    const [tag, ...rest] = part;
    if (tag === "a") {
      const [address, ...children] = rest;
      const inside = richNodes(children, words);
      return SAFE.test(address) ? [h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, inside)] : inside;
    }
    const inside = richNodes(rest, words);
    if (!TAGS.has(tag)) return inside;
    const element = h(tag, {}, inside);
    return tag === "table" ? [h("div", { class: "table", tabIndex: 0 }, element)] : [element];
  });
}

/** A text with the words marked that it holds, as a list of strings and elements. */
export function markWords(text, words) {
  if (!words.length) return [text];
  const wanted = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "iu");
  return text.split(wanted).map((part, index) => (index % 2 ? h("mark", {}, part) : part));
}
