// A dialog for a text. It is no part of parts.js, because the timeline does not need it.

import { h } from "./dom.js";
import { askToConfirm, attempt } from "./parts.js";

/** Ask for a text of at most `most` characters until `save(text, before)` succeeds. Resolve to false if the person gave up.
 *
 * `before` is the text to replace. After the server has said that it was changed elsewhere, the next attempt replaces any text.
 */
export function askForText(title, yes, { value = "", before = value, label, most, hint = "" }, save) {
  const field = h("textarea", { value, maxLength: most, rows: 3, required: true, dir: "auto", "aria-label": label });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) field.form.requestSubmit();
  });
  const saveOrTell = () => save(field.value.trim(), before).catch((problem) => {
    if (problem.status === 412) before = undefined;
    throw problem;
  });
  const act = (pressed) => field.value.trim() !== "" && attempt(saveOrTell, pressed);
  const done = askToConfirm(title, yes, [hint ? h("p", { class: "hint" }, hint) : null, field].filter(Boolean), { act });
  field.focus();
  return done;
}
