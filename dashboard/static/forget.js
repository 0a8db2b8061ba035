// Forgetting: what would go is listed by its text, then asked, then done, with its receipt.

import { h } from "./dom.js";
import { look, write } from "./memory.js";
import { attempt, confirmed, skeleton, working } from "./parts.js";
import { tr } from "./texts.js";

/** `asked`: {what, ids?, first?, last?, thread?} as the API has it. Calls `done()` after something was erased. */
export const forget = (asked, done = () => {}) => attempt(async () => {
  const place = h("div", { class: "going" }, skeleton());
  const withQuotes = h("input", { type: "checkbox" }); // whoever wants more to go has to say so
  const preview = write("forget/preview", asked);
  const shown = preview.then((going) => !going.is_nothing && place.replaceChildren(...listed(going, withQuotes)) === undefined);
  const isMeant = await confirmed(tr("forget-ask-this"), tr("dashboard-forget"), [place], { bad: true, after: shown });
  const { erases, quotes, is_nothing: isNothing } = await preview;
  if (isNothing) return { said: erases };
  if (!isMeant) return null;
  const last = [h("p", { class: "hint" }, tr("forget-final"))];
  if (asked.what === "everything" && !(await confirmed(tr("forget-ask-this"), tr("forget-all-of-it"), last, { bad: true }))) return null;
  const { receipt } = await working(tr("dashboard-forgetting"),
    write("forget", { ...asked, with_quotes: Boolean(quotes) && withQuotes.checked }));
  await confirmed(tr("forget-done"), tr("dashboard-ok"), [h("p", { class: "lines", dir: "auto" }, receipt)], { isTold: true });
  await look().catch(() => {});
  done();
  return null;
});

function listed({ erases, quotes, messages, facts, summaries, repeating, counts }, withQuotes) {
  const list = (texts, total = texts.length) => (texts.length ? h("ul", { class: "quotes" },
    texts.map((text) => h("li", { class: "quote text", dir: "auto" }, text)), total > texts.length
      ? h("li", { class: "quote" }, "…") : null) : null);
  return [
    h("p", { class: "lines", dir: "auto" }, erases),
    list(messages, counts.messages), facts.length ? h("h3", {}, tr("dashboard-tab-facts")) : null, list(facts, counts.facts),
    summaries.length ? h("h3", {}, tr("dashboard-tab-summaries")) : null, list(summaries, counts.summaries),
    quotes ? h("label", { class: "check" }, withQuotes, h("span", {}, quotes)) : null, list(repeating),
    h("p", { class: "hint" }, tr("forget-final")),
  ].filter(Boolean);
}
