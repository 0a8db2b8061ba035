// Forget messages and facts: list their texts, ask for confirmation, erase them, and show the receipt.

import { h } from "./dom.js";
import { refreshHome, write } from "./memory.js";
import { attempt, askToConfirm, makeSkeleton, showWhileWorking } from "./parts.js";
import { tr } from "./texts.js";

/** Forget what `asked` selects, {what, ids?, first?, last?, thread?} as in the API. Call `done()` after something was erased. */
export const forget = (asked, done = () => {}) => attempt(async () => {
  const place = h("div", { class: "going" }, makeSkeleton());
  const withQuotes = h("input", { type: "checkbox" }); // whoever wants more to go has to say so
  /** @type {any} */
  let preview = null;
  const loadTexts = async () => {
    preview = await write("forget/preview", { ...asked, with_repeats: false });
    if (preview.is_nothing) return false;
    place.replaceChildren(...listTexts(preview), makeSkeleton());
    place.lastElementChild.replaceWith(...listRepeats(await write("forget/preview", asked), withQuotes));
    return true;
  };
  const shown = loadTexts();
  const isConfirmed = await askToConfirm(tr("forget-ask-this"), tr("dashboard-forget"), [place], { bad: true, after: shown });
  await shown;
  if (preview.is_nothing) return { said: preview.erases };
  if (!isConfirmed) return null;
  const last = [h("p", { class: "hint" }, tr("forget-final"))];
  if (asked.what === "everything" && !(await askToConfirm(tr("forget-ask-this"), tr("forget-all-of-it"), last, { bad: true }))) return null;
  const { receipt } = await showWhileWorking(tr("dashboard-forgetting"),
    write("forget", { ...asked, with_quotes: withQuotes.checked }));
  await askToConfirm(tr("forget-done"), tr("dashboard-ok"), [h("p", { class: "lines", dir: "auto" }, receipt)], { isTold: true });
  await refreshHome().catch(() => {});
  done();
  return null;
});

/** Return nodes with the texts that would be erased. */
const listTexts = ({ erases, messages, facts, summaries, counts }) => [
  h("p", { class: "lines", dir: "auto" }, erases),
  ...makeList("", messages, counts.messages),
  ...makeList(tr("dashboard-tab-facts"), facts, counts.facts),
  ...makeList(tr("dashboard-tab-summaries"), summaries, counts.summaries),
];

/** Return nodes with later answers that repeat these texts, and the option to erase them, too. */
const listRepeats = ({ quotes, repeating }, withQuotes) => [
  ...(quotes ? [h("p", { class: "lines", dir: "auto" }, quotes)] : []),
  ...makeList("", repeating),
  ...(quotes ? [h("label", { class: "check" }, withQuotes, h("span", {}, tr("forget-them-too")))] : []),
  h("p", { class: "hint" }, tr("forget-final")),
];

function makeList(title, texts, total = texts.length) {
  if (!texts.length) return [];
  const rows = texts.map((text) => h("li", { class: "quote text", dir: "auto" }, text));
  return [...(title ? [h("h3", {}, title)] : []),
    h("ul", { class: "quotes" }, rows, total > texts.length ? h("li", { class: "quote" }, "…") : null)];
}
