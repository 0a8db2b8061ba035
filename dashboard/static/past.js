// What is brought along and taken away: import with its questions and its progress, learning from it, export.

import { h, progress } from "./dom.js";
import { look, memory, write } from "./memory.js";
import * as net from "./net.js";
import { attempt, button, labelled, toast } from "./parts.js";
import { dayKey, tr } from "./texts.js";

export const past = {
  id: "past",
  async draw(root) {
    root.append(importing(), learning(), exporting());
  },
};

function importing() {
  const place = h("div", { class: "import" });
  const file = h("input", { type: "file", on: { change: () => { if (file.files[0]) planned(place, file.files[0], {}); } } });
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-import")), h("p", { class: "hint" }, tr("dashboard-import-about")),
    labelled(tr("dashboard-import-file"), file), place);
}

const given = (file, answers) => ({ owner: memory.owner, thread: memory.thread, name: file.name, answers: JSON.stringify(answers) });

/** Says what an import would do, and asks what it has to know, until nothing is left to ask. */
const planned = (place, file, answers) => attempt(async () => {
  place.replaceChildren(h("p", { class: "hint" }, tr("dashboard-import-reading")));
  try {
    const plan = await (await net.upload("import/plan", given(file, answers), file)).json();
    const fields = plan.questions.map((question) => questionOf(question, answers));
    const buttons = plan.questions.length ? button(tr("dashboard-next"), () => planned(place, file, { ...answers, ...Object.fromEntries(fields.map((one) => [one.key, one.chosen()])) }), { kind: "main" })
      : plan.has_new ? button(tr("dashboard-import-run"), () => run(place, file, answers), { kind: "main" }) : null;
    place.replaceChildren(h("p", { class: "lines", dir: "auto" }, plan.text), ...fields.map((one) => one.node), h("div", { class: "actions" }, buttons));
  } catch (problem) {
    place.replaceChildren();
    throw problem;
  }
  return null;
});

function questionOf({ key, text, options, several, chosen }) {
  const inputs = options.map((option, index) => h("input", { type: several ? "checkbox" : "radio", name: key, value: String(index), checked: chosen.includes(index) }));
  const node = h("fieldset", {}, h("legend", { dir: "auto" }, text), inputs.map((input, index) => h("label", { class: "check" }, input, h("span", { dir: "auto" }, options[index]))));
  return { key, node, chosen: () => inputs.filter((input) => input.checked).map((input) => Number(input.value)) };
}

async function run(place, file, answers) {
  const stopping = new AbortController();
  const show = (done, total) => place.replaceChildren(progress(tr("dashboard-importing"), done, total, tr("dashboard-done-of", { done, total })), h("div", { class: "actions" }, button(tr("dashboard-pause"), () => stopping.abort())));
  place.dataset.busy = "1";
  show(0, 1);
  try {
    let end = null;
    for await (const line of linesOf(await net.upload("import/run", given(file, answers), file, stopping.signal))) {
      if (line.error) throw new net.Refused(400, line.error);
      if (line.said !== undefined) end = line;
      else show(line.done, line.total);
    }
    place.replaceChildren(h("p", { class: "lines", dir: "auto", role: "status" }, end?.said ?? tr("dashboard-import-paused")), h("div", { class: "actions" }, end?.learn ? button(end.learn.text, (pressed) => learn(end.learn, pressed), { kind: "main" }) : null));
  } catch (problem) {
    const isPaused = problem.name === "AbortError";
    place.replaceChildren(h("p", { class: "hint", role: "status" }, isPaused ? tr("dashboard-import-paused") : problem.status === undefined ? tr("dashboard-no-answer") : problem.message), h("div", { class: "actions" }, button(tr("dashboard-import-go-on"), () => run(place, file, answers), { kind: "main" })));
  } finally {
    delete place.dataset.busy;
    look().catch(() => {});
  }
}

/** The objects of a stream of lines, as they come. */
async function* linesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim()) yield JSON.parse(line);
    if (done) break;
  }
  if (rest.trim()) yield JSON.parse(rest);
}

const learn = ({ first, last }, pressed) => attempt(async () => { const answer = await write("learn", { first, last }); await look(); return answer; }, pressed);

function learning() {
  const first = h("input", { type: "date", required: true });
  const last = h("input", { type: "date", value: dayKey(Date.now()) });
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-learn")), h("p", { class: "hint" }, tr("dashboard-learn-about")),
    h("div", { class: "two-fields" }, labelled(tr("dashboard-filter-since"), first), labelled(tr("dashboard-filter-until"), last)),
    h("div", { class: "actions" },
      button(tr("dashboard-learn"), (pressed) => { if (first.reportValidity()) learn({ first: first.value, last: last.value || first.value }, pressed); }),
      memory.home.learning ? button(tr("dashboard-learn-stop"), (pressed) => attempt(async () => { const answer = await write("learn/stop"); await look(); return answer; }, pressed), { kind: "bad" }) : null));
}

function exporting() {
  const fetched = (format) => (pressed) => attempt(async () => {
    const { blob, filename } = await net.download("export", { owner: memory.owner, format });
    const address = URL.createObjectURL(blob);
    h("a", { href: address, download: filename }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    toast(tr("dashboard-exported", { name: filename }));
  }, pressed);
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-export")), h("p", { class: "hint" }, tr("dashboard-export-about")),
    h("div", { class: "actions" }, button(tr("dashboard-export-readable"), fetched("markdown")), button(tr("dashboard-export-whole"), fetched("json"))));
}
