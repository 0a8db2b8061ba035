// A dialog for a text. It is no part of parts.js, because the timeline does not need it.

import { h } from "./dom.js";
import { askToConfirm, attempt } from "./parts.js";

/** Ask for a text of at most `most` characters until `save(text)` succeeds. Resolve to false if the person gave up. */
export function askForText(title, yes, { value = "", label, most, hint = "" }, save) {
  const field = h("textarea", { value, maxLength: most, rows: 3, required: true, dir: "auto", "aria-label": label });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) field.form.requestSubmit();
  });
  const act = (pressed) => field.value.trim() !== "" && attempt(() => save(field.value.trim()), pressed);
  const done = askToConfirm(title, yes, [hint ? h("p", { class: "hint" }, hint) : null, field].filter(Boolean), { act });
  field.focus();
  return done;
}
