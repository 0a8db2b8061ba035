// Forgetting: what would go is listed by its text, then asked, then done, with its receipt.

import { h } from "./dom.js";
import { look, write } from "./memory.js";
import { attempt, confirmed, skeleton, working } from "./parts.js";
import { tr } from "./texts.js";

/** `asked`: {what, ids?, first?, last?, thread?} as the API has it. Calls `done()` after something was erased. */
export const forget = (asked, done = () => {}) => attempt(async () => {
  const place = h("div", { class: "going" }, skeleton());
  const withQuotes = h("input", { type: "checkbox" }); // whoever wants more to go has to say so
  /** @type {any} */
  let going = null;
  const show = async () => {
    going = await write("forget/preview", { ...asked, with_repeats: false });
    if (going.is_nothing) return false;
    place.replaceChildren(...textsOf(going), skeleton());
    place.lastElementChild.replaceWith(...repeatsOf(await write("forget/preview", asked), withQuotes));
    return true;
  };
  const shown = show();
  const isMeant = await confirmed(tr("forget-ask-this"), tr("dashboard-forget"), [place], { bad: true, after: shown });
  await shown;
  if (going.is_nothing) return { said: going.erases };
  if (!isMeant) return null;
  const last = [h("p", { class: "hint" }, tr("forget-final"))];
  if (asked.what === "everything" && !(await confirmed(tr("forget-ask-this"), tr("forget-all-of-it"), last, { bad: true }))) return null;
  const { receipt } = await working(tr("dashboard-forgetting"),
    write("forget", { ...asked, with_quotes: withQuotes.checked }));
  await confirmed(tr("forget-done"), tr("dashboard-ok"), [h("p", { class: "lines", dir: "auto" }, receipt)], { isTold: true });
  await look().catch(() => {});
  done();
  return null;
});

/** What goes, and the first of its texts. */
const textsOf = ({ erases, messages, facts, summaries, counts }) => [
  h("p", { class: "lines", dir: "auto" }, erases),
  ...listOf("", messages, counts.messages),
  ...listOf(tr("dashboard-tab-facts"), facts, counts.facts),
  ...listOf(tr("dashboard-tab-summaries"), summaries, counts.summaries),
];

/** What stays although it repeats those texts, and the choice to let it go, too. */
const repeatsOf = ({ quotes, repeating }, withQuotes) => [
  ...(quotes ? [h("label", { class: "check" }, withQuotes, h("span", {}, quotes))] : []),
  ...listOf("", repeating),
  h("p", { class: "hint" }, tr("forget-final")),
];

function listOf(title, texts, total = texts.length) {
  if (!texts.length) return [];
  const rows = texts.map((text) => h("li", { class: "quote text", dir: "auto" }, text));
  return [...(title ? [h("h3", {}, title)] : []),
    h("ul", { class: "quotes" }, rows, total > texts.length ? h("li", { class: "quote" }, "…") : null)];
}
