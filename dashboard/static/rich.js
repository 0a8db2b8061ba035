// Show Markdown that the server has parsed. Nothing is ever interpreted as HTML.

import { h } from "./dom.js";

// Of other elements, only the text is shown. None of these can run scripts or load anything.
const TAGS = new Set(["p", "h4", "b", "i", "s", "code", "pre", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr",
  "th", "td", "br", "hr"]);
const SAFE = /^(https?:|mailto:|tg:)/i;

/** Return nodes for a list of strings, [tag, …children] and ["a", url, …children]. `words` are highlighted. */
export function makeRichNodes(body, words = []) {
  return body.flatMap((part) => {
    if (typeof part === "string") return markWords(part, words);
    const [tag, ...rest] = part;
    if (tag === "a") {
      const [address, ...children] = rest;
      const inside = makeRichNodes(children, words);
      return SAFE.test(address) ? [h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, inside)] : inside;
    }
    const inside = makeRichNodes(rest, words);
    if (!TAGS.has(tag)) return inside;
    const element = h(tag, {}, inside);
    return tag === "table" ? [h("div", { class: "table", tabIndex: 0 }, element)] : [element];
  });
}

/** Return a text with highlighted words, as a list of strings and elements. */
export function markWords(text, words) {
  if (!words.length) return [text];
  const wanted = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "iu");
  return text.split(wanted).map((part, index) => (index % 2 ? h("mark", {}, part) : part));
}
