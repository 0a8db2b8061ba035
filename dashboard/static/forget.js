// Forgetting: what it would erase is said first, then asked, then done, with its receipt. Everything is asked twice.

import { h } from "./dom.js";
import { look, write } from "./memory.js";
import { attempt, confirmed } from "./parts.js";
import { tr } from "./texts.js";

/** `asked`: {what, ids?, first?, last?, thread?} as the API has it. Calls `done()` after something was erased. */
export const forget = (asked, done = () => {}) => attempt(async () => {
  const { erases, quotes, is_nothing: isNothing } = await write("forget/preview", asked);
  if (isNothing) return { said: erases };
  const withQuotes = h("input", { type: "checkbox", checked: true });
  const fields = [h("p", { class: "lines", dir: "auto" }, erases), quotes ? h("label", { class: "check" }, withQuotes, h("span", {}, quotes)) : null, h("p", { class: "hint" }, tr("forget-final"))].filter(Boolean);
  if (!(await confirmed(tr("forget-ask-this"), tr("dashboard-forget"), fields, { bad: true }))) return null;
  if (asked.what === "everything" && !(await confirmed(tr("forget-ask-this"), tr("forget-all-of-it"), [h("p", { class: "hint" }, tr("forget-final"))], { bad: true }))) return null;
  const { receipt } = await write("forget", { ...asked, with_quotes: Boolean(quotes) && withQuotes.checked });
  await confirmed(tr("forget-done"), tr("dashboard-ok"), [h("p", { class: "lines", dir: "auto" }, receipt)]);
  await look().catch(() => {});
  done();
  return null;
});
