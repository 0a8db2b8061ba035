// The last answers: what their prompt held, as bars, and every quotation with its reason.

import { h } from "./dom.js";
import { read } from "./memory.js";
import { quoteOf } from "./messages.js";
import { empty, pagerOf } from "./parts.js";
import { swap } from "./swap.js";
import { counted, dateOf, fullDate, kindOf, spanOf, tr } from "./texts.js";

export const why = {
  async draw(root) {
    root.append(h("p", { class: "hint" }, tr("dashboard-why-about")));
    const place = h("div", { class: "answers" });
    const show = async (before, earlier) => {
      const { answers, next } = await read("why", { before });
      swap(place, ...(answers.length ? answers.map((answer, index) => answerOf(answer, index === 0))
        : [empty(tr("why-nothing-known"))]),
        ...(next || earlier.length ? [pagerOf(earlier.length ? () => show(earlier.at(-1), earlier.slice(0, -1)) : null, next
          ? () => show(next, [...earlier, before]) : null)] : []));
    };
    await show(undefined, []);
    root.append(place);
  },
};

function answerOf(one, isOpen) {
  return h("details", { class: "card answer", open: isOpen },
    h("summary", {}, h("span", { class: "text clamp", dir: "auto" }, one.question ?? tr("why-not-stored")),
      h("span", { class: "hint" }, fullDate(one.at))),
    one.answer ? h("blockquote", { class: "text clamp", dir: "auto" }, one.answer) : null,
    one.lost ? h("p", { class: "hint" }, one.lost) : h("p", { class: "figures" },
      tr("why-size", { model: one.model, tokens: one.tokens, most: one.ceiling }), " ", one.saved > 0
      ? h("span", { class: "saved" }, tr("why-size-whole", { tokens: one.whole })) : null),
    one.lost ? null : barOf(one),
    part(tr("dashboard-tab-profile"), one.profile ? [h("p", { class: "text clamp", dir: "auto" }, one.profile)] : []),
    part(tr("dashboard-tab-facts"), one.facts.map((fact) => h("li", { class: "quote" },
      h("p", { class: "text", dir: "auto" }, fact.text ?? tr("why-gone")),
      h("p", { class: "hint" }, tr("memory-since", { day: dateOf(fact.since) }), ` · ${fact.why}`), fact.replaced
      ? h("p", { class: "hint" }, fact.replaced) : null))),
    part(tr("why-part-snippets"), one.snippets.map((snippet) => quoted(snippet.message, h("p", { class: "reason" }, snippet.why)))),
    part(tr("why-looked-up"), one.looked_up.map((message) => quoted(message))),
    part(tr("dashboard-tab-summaries"), one.summaries.map((summary) =>
      h("li", { class: "quote" }, h("p", { class: "quote-head" },
      h("a", { href: `#summaries/${summary.id}` }, `${kindOf(summary.level)} · ${spanOf(summary.first_at, summary.last_at)}`)),
      h("p", { class: "text clamp", dir: "auto" }, summary.text)))),
    one.recent.length ? h("details", {}, h("summary", {}, `${headed(tr("why-part-recent"))}: ${counted(one.recent.length)}`),
      h("ul", { class: "quotes" }, one.recent.map((message) => quoteOf(message)))) : null,
    part(tr("why-cut"), one.cut.map((cut) => h("li", { class: "quote" }, cut))));
}

const quoted = (message, ...more) => (message ? quoteOf(message, ...more)
  : h("li", { class: "quote" }, h("p", { class: "hint" }, tr("why-gone")), ...more));

const headed = (name) => name[0].toUpperCase() + name.slice(1);

const SHOWN = 2; // quotations of a part that are shown; the others are behind their number

function part(title, items) {
  if (!items.length) return null;
  if (items[0].localName !== "li") return h("section", {}, h("h3", {}, headed(title)), items);
  const rest = items.slice(SHOWN);
  return h("section", {}, h("h3", {}, headed(title)), h("ul", { class: "quotes" }, items.slice(0, SHOWN)),
    rest.length ? h("details", { class: "line" }, h("summary", {}, `+ ${counted(rest.length)}`),
      h("ul", { class: "quotes" }, rest)) : null);
}

const hueOfPart = (index) => String((168 + index * 41) % 360);
const share = (of, whole) => `${whole > 0 ? Math.min(100, (of / whole) * 100) : 0}%`;

function barOf({ parts, ceiling }) {
  const told = ({ label, tokens, budget }) => `${label}: ${counted(tokens)}${budget ? ` / ${counted(budget)}` : ""}`;
  return h("div", { class: "prompt" },
    h("div", { class: "bar", role: "img", "aria-label": parts.map(told).join(", ") },
      parts.map((one, index) => h("i", { title: told(one), vars: { "--share": share(one.tokens, ceiling),
      "--hue": hueOfPart(index) } }))),
    h("ul", { class: "bars" }, parts.map((one, index) => h("li",
      { vars: { "--hue": hueOfPart(index), "--share": share(one.tokens, one.budget ?? ceiling) } },
      h("span", { class: "bar-name" }, one.label), h("span", { class: "bar-figure" }, counted(one.tokens), one.budget
        ? h("small", {}, ` / ${counted(one.budget)}`) : null), h("div", { class: "track" }, h("i", {}))))));
}
