// The explanation of the last prompt: what each part cost next to its budget, what was cut, and why each snippet came back.

import { fullDate, h } from "./dom.js";
import { counted, tr } from "./texts.js";

export const accountSection = {
  id: "account",
  title: tr("page-prompt"),
  draw({ context }) {
    if (!context) return { note: "", body: h("p", { class: "hint" }, tr("page-prompt-none")) };
    const body = h("div", {}, wholeBar(context), h("ul", { class: "bars" }, context.parts.map(partOf)), cutsOf(context.cut));
    return { note: tr("page-tokens-of", { tokens: context.total, most: context.ceiling }), body };
  },
};

export const snippetsSection = {
  id: "snippets",
  title: tr("page-found"),
  draw({ context }) {
    if (!context?.snippets.length) return null;
    return { note: tr("page-found-count", { number: context.snippets.length }), body: h("ul", { class: "snippet-list" }, context.snippets.map(snippetOf)) };
  },
};

const share = (part, whole) => `${whole > 0 ? Math.min(100, (part / whole) * 100) : 0}%`;
const hueOfPart = (index) => String((212 + index * 47) % 360);

function wholeBar({ parts, ceiling, total }) {
  return h("div", { class: "whole", role: "img", "aria-label": tr("page-tokens-of", { tokens: total, most: ceiling }) },
    parts.map((part, index) => h("i", { title: `${part.name}: ${counted(part.tokens)}`, vars: { "--share": share(part.tokens, ceiling), "--hue": hueOfPart(index) } })));
}

function partOf(part, index) {
  const figures = part.budget === null ? counted(part.tokens) : `${counted(part.tokens)} / ${counted(part.budget)}`;
  return h("li", { vars: { "--hue": hueOfPart(index) } },
    h("span", { class: "bar-name" }, part.name), h("span", { class: "bar-figures" }, figures),
    h("div", { class: part.budget === null ? "track open" : "track" }, h("i", { vars: { "--share": part.budget === null ? "0%" : share(part.tokens, part.budget) } })));
}

function cutsOf(cuts) {
  if (!cuts.length) return null;
  return h("div", { class: "cuts" }, h("h4", {}, tr("page-cut")), h("ul", {}, cuts.map((cut) => {
    const range = cut.first === null ? "" : cut.first === cut.last ? ` #${cut.first}` : ` #${cut.first}–${cut.last}`;
    return h("li", {}, h("b", {}, cut.what), range);
  })));
}

function snippetOf(snippet) {
  return h("li", { data: { snippet: String(snippet.message_id) } },
    h("p", { class: "detail-head" }, h("b", {}, snippet.speaker), h("span", {}, `#${snippet.message_id} · ${fullDate(new Date(snippet.date))}`)),
    h("p", { class: "detail-text", dir: "auto" }, snippet.text),
    h("p", { class: "why" }, h("span", {}, snippet.why)));
}
