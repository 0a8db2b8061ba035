// The page about the last answers: the tokens in each part of the prompt, and all recalled items with their reasons.

import { h } from "./dom.js";
import { read } from "./memory.js";
import { makeQuote } from "./messages.js";
import { makeEmptyNote, makePager } from "./parts.js";
import { replaceContent } from "./swap.js";
import { formatNumber, formatDate, formatFullDate, nameLevel, formatSpan, tr } from "./texts.js";

export const why = {
  async draw(root) {
    root.append(h("p", { class: "hint" }, tr("dashboard-why-about")));
    const place = h("div", { class: "answers" });
    const showAnswers = async (before, earlier) => {
      const { answers, next } = await read("why", { before });
      replaceContent(place, ...(answers.length ? answers.map((answer, index) => makeAnswer(answer, index === 0))
        : [makeEmptyNote(tr("why-nothing-known"))]),
        ...(next || earlier.length ? [makePager(earlier.length ? () => showAnswers(earlier.at(-1), earlier.slice(0, -1)) : null, next
          ? () => showAnswers(next, [...earlier, before]) : null)] : []));
    };
    await showAnswers(undefined, []);
    root.append(place);
  },
};

function makeAnswer(answer, isOpen) {
  return h("details", { class: "card answer", open: isOpen },
    h("summary", {}, h("span", { class: "text clamp", dir: "auto" },
      answer.question ?? capitalize(tr(answer.id === null ? "why-not-stored" : "why-gone"))),
      h("span", { class: "hint" }, formatFullDate(answer.at))),
    answer.answer ? h("blockquote", { class: "text clamp", dir: "auto" }, answer.answer) : null,
    answer.lost ? h("p", { class: "hint" }, answer.lost) : h("p", { class: "figures" },
      tr("why-size", { model: answer.model, tokens: answer.tokens, most: answer.ceiling }), " ", answer.saved > 0
      ? h("span", { class: "saved" }, tr("why-size-whole", { tokens: answer.whole })) : null),
    answer.lost ? null : makeBar(answer),
    makePart(tr("dashboard-tab-profile"), answer.profile ? [h("p", { class: "text clamp", dir: "auto" }, answer.profile)] : []),
    makePart(tr("dashboard-tab-facts"), answer.facts.map((fact) => h("li", { class: "quote" },
      h("p", { class: "text", dir: "auto" }, fact.text ?? tr("why-gone")),
      h("p", { class: "hint" }, tr("memory-since", { day: formatDate(fact.since) }), ` · ${fact.why}`), fact.replaced
      ? h("p", { class: "hint" }, fact.replaced) : null))),
    makePart(tr("why-part-snippets"), answer.snippets.map((snippet) => makeQuoteOrNote(snippet.message, h("p", { class: "reason" }, snippet.why)))),
    makePart(tr("why-looked-up"), answer.looked_up.map((message) => makeQuoteOrNote(message))),
    makePart(tr("dashboard-tab-summaries"), answer.summaries.map((summary) =>
      h("li", { class: "quote" }, h("p", { class: "quote-head" },
      h("a", { href: `#summaries/${summary.id}` }, `${nameLevel(summary.level)} · ${formatSpan(summary.first_at, summary.last_at)}`)),
      h("p", { class: "text clamp", dir: "auto" }, summary.text)))),
    answer.recent.length ? h("details", {}, h("summary", {}, `${capitalize(tr("why-part-recent"))}: ${formatNumber(answer.recent.length)}`),
      h("ul", { class: "quotes" }, answer.recent.map((message) => makeQuote(message)))) : null,
    makePart(tr("why-cut"), answer.cut.map((cut) => h("li", { class: "quote" }, cut))));
}

const makeQuoteOrNote = (message, ...more) => (message ? makeQuote(message, ...more)
  : h("li", { class: "quote" }, h("p", { class: "hint" }, tr("why-gone")), ...more));

const capitalize = (name) => name[0].toUpperCase() + name.slice(1);

const SHOWN = 2; // quotes of a part that are not folded

function makePart(title, items) {
  if (!items.length) return null;
  if (items[0].localName !== "li") return h("section", {}, h("h3", {}, capitalize(title)), items);
  const rest = items.slice(SHOWN);
  return h("section", {}, h("h3", {}, capitalize(title)), h("ul", { class: "quotes" }, items.slice(0, SHOWN)),
    rest.length ? h("details", { class: "line" }, h("summary", {}, `+ ${formatNumber(rest.length)}`),
      h("ul", { class: "quotes" }, rest)) : null);
}

const pickPartHue = (index) => String((168 + index * 41) % 360);
const formatShare = (of, whole) => `${whole > 0 ? Math.min(100, (of / whole) * 100) : 0}%`;

function makeBar({ parts, ceiling }) {
  const describePart = ({ label, tokens, budget }) => `${label}: ${formatNumber(tokens)}${budget ? ` / ${formatNumber(budget)}` : ""}`;
  return h("div", { class: "prompt" },
    h("div", { class: "bar", role: "img", "aria-label": parts.map(describePart).join(", ") },
      parts.map((piece, index) => h("i", { title: describePart(piece), vars: { "--share": formatShare(piece.tokens, ceiling),
      "--hue": pickPartHue(index) } }))),
    h("ul", { class: "bars" }, parts.map((piece, index) => h("li",
      { vars: { "--hue": pickPartHue(index), "--share": formatShare(piece.tokens, piece.budget ?? ceiling) } },
      h("span", { class: "bar-name" }, piece.label), h("span", { class: "bar-figure" }, formatNumber(piece.tokens), piece.budget
        ? h("small", {}, ` / ${formatNumber(piece.budget)}`) : null), h("div", { class: "track" }, h("i", {}))))));
}
