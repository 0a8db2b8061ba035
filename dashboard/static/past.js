// What is brought along and taken away: import with its questions and its progress, learning from it, export.

import { h, progress } from "./dom.js";
import { look, memory, read, write } from "./memory.js";
import * as net from "./net.js";
import { attempt, button, labelled, redraw } from "./parts.js";
import { swap } from "./swap.js";
import { tr, visit } from "./texts.js";

export const past = {
  async draw(root) {
    const { offer, paste } = await read("learning");
    root.append(importing(paste), ...[learning(offer)].filter(Boolean), exporting());
  },
  refresh() {}, // what came of an import stays, also when its messages are seen to have arrived
};

function importing(paste) {
  const place = h("div", { class: "import" });
  const file = h("input", { type: "file", on: { change: () => { if (file.files[0]) planned(place, file.files[0], {}); } } });
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("transfer-import")),
    h("p", { class: "hint" }, tr("dashboard-import-about")),
    labelled(tr("dashboard-import-file"), file), pasting(place, paste), place);
}

/** What another assistant says of somebody, who copies it here. */
function pasting(place, prompt) {
  const field = h("textarea", { rows: 4, required: true, dir: "auto" });
  const form = h("form", { class: "group-of-fields", on: { submit: (event) =>
    { event.preventDefault(); planned(place, new File([field.value], ""), {}); } } },
    h("p", { class: "hint" }, tr("dashboard-import-paste-about")), h("blockquote", { class: "text", dir: "auto" }, prompt),
    labelled(tr("dashboard-import-answer"), field), h("div", { class: "actions" }, h("button", { class: "button" }, tr("dashboard-next"))));
  return h("details", {}, h("summary", {}, tr("transfer-paste")), form);
}

/** What of a file is in the address. */
const parametersOf = (file, answers) => ({ owner: memory.owner, thread: memory.thread, name: file.name, answers: JSON.stringify(answers) });

/** Says what an import would do, and asks what it has to know, until nothing is left to ask. */
const planned = (place, file, answers) => attempt(async () => {
  const asked = place.asked = {}; // another file may be chosen before this one is read
  const show = (sent) => { if (place.asked === asked) swap(place, sent < file.size
    ? progress(tr("dashboard-import-sending"), sent, file.size, `${Math.floor((100 * sent) / file.size)} %`)
    : progress(tr("dashboard-import-reading"), 1, 1, "")); };
  show(0);
  try {
    const plan = await net.uploadWithProgress("import/plan", parametersOf(file, answers), file, show);
    if (place.asked !== asked) return null;
    const fields = plan.questions.map((question) => questionOf(question));
    const next = (event) => { event.preventDefault(); planned(place, file,
      { ...answers, ...Object.fromEntries(fields.map((one) => [one.key, one.chosen()])) }); };
    const buttons = plan.questions.length ? h("button", { class: "button main" }, tr("dashboard-next"))
      : plan.has_new ? button(tr("transfer-import"), () => run(place, file, answers), { kind: "main" }) : learnButton(plan.learn);
    swap(place, h("form", { class: "import", on: { submit: next } }, h("p", { class: "lines", dir: "auto" }, plan.text),
      instructionsOf(plan.instructions), ...fields.map((one) => one.node), h("div", { class: "actions" }, buttons)));
  } catch (problem) {
    if (place.asked !== asked) return null;
    swap(place);
    // Also where a proxy refuses it, in words of its own.
    throw problem.status === 413 ? new net.Refused(413, `${tr("web-too-large")} ${tr("files-smaller")}`) : problem;
  }
  return null;
});

/** Lists the instructions in a file, folded under their count. */
const instructionsOf = ({ heading, texts }) => (texts.length ? h("details", {}, h("summary", { dir: "auto" }, heading),
  h("ul", {}, texts.map((text) => h("li", { dir: "auto" }, text)))) : null);

function questionOf({ key, text, options, several, chosen }) {
  const inputs = options.map((option, index) => h("input", { type: several ? "checkbox" : "radio", name: key, value: String(index),
    required: !several, checked: chosen.includes(index) }));
  const node = h("fieldset", {}, h("legend", { dir: "auto" }, text),
    inputs.map((input, index) => h("label", { class: "check" }, input, h("span", { dir: "auto" }, options[index]))));
  return { key, node, chosen: () => inputs.filter((input) => input.checked).map((input) => Number(input.value)) };
}

const ENDING = 10; // seconds after which one that was paused has surely ended on the server, too

/** `patience`: how often it is tried again while another import runs. */
async function run(place, file, answers, patience = 0) {
  const stopping = new AbortController();
  const bar = h("div");
  const show = (done, total, shown = tr("search-so-far", { shown: done, total })) =>
    bar.replaceChildren(progress(tr("transfer-importing"), done, total, shown));
  swap(place, bar, h("div", { class: "actions" }, button(tr("transfer-pause"), () => stopping.abort())));
  place.dataset.busy = "1";
  show(0, 1, "");
  try {
    let end = null;
    for await (const line of linesOf(await net.upload("import/run", parametersOf(file, answers), file, stopping.signal))) {
      if (line.error) throw new net.Refused(line.is_busy ? 409 : 400, line.error);
      if (line.said !== undefined) end = line;
      else show(line.done, line.total);
    }
    swap(place, h("p", { class: "lines", dir: "auto", role: "status" }, end?.said ?? tr("transfer-paused")),
      ...(end?.learn ? [h("p", { class: "hint" }, end.learn.text), h("div", { class: "actions" }, learnButton(end.learn))] : []));
  } catch (problem) {
    if (problem.status === 409 && patience) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return await run(place, file, answers, patience - 1);
    }
    const isPaused = problem.name === "AbortError";
    swap(place, h("p", { class: "hint", role: "status" }, isPaused ? tr("transfer-paused")
      : (problem.status && problem.message) || tr("shared-failed")), h("div", { class: "actions" },
      button(tr("transfer-go-on"), () => run(place, file, answers, ENDING), { kind: "main" })));
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

const toldLater = (act) => (pressed) => attempt(async () => { const answer = await act(); await look(); redraw(); return answer; },
  pressed);

const learnButton = (offer) => (offer ? button(tr("learning-offer"),
  toldLater(() => write("learn", { first: offer.first, last: offer.last })), { kind: "main" }) : null);

/** Learning facts from all that was imported: the offer of it, or how it is stopped. */
function learning(offer) {
  const isLearning = Boolean(memory.home.learning);
  if (!offer && !isLearning) return null;
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("learning-offer")), isLearning ? null
    : h("p", { class: "hint" }, offer.text),
    h("div", { class: "actions" }, isLearning ? button(tr("answers-stop"), toldLater(() => write("learn/stop")), { kind: "bad" })
      : learnButton(offer)));
}

/** Whether this page may save files: Telegram's apps let none, and a frame of another page may not. */
function maySave() {
  if (visit.proof === "init_data") return false;
  if (window.parent === window) return true;
  const frame = /** @type {HTMLIFrameElement} */ (window.frameElement); // null where the page around is another site's
  return frame !== null && (!frame.hasAttribute("sandbox") || frame.sandbox.contains("allow-downloads"));
}

function exporting() {
  const save = async (format) => {
    const { blob, filename } = await net.download("export", { owner: memory.owner, format });
    const address = URL.createObjectURL(blob);
    h("a", { href: address, download: filename }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  const fetched = (format) => (pressed) => attempt(() => (maySave() ? save(format) : write("export/send", { format })), pressed);
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-export")),
    maySave() ? null : h("p", { class: "hint" }, tr("dashboard-export-into-chat")),
    h("div", { class: "actions" }, button(tr("dashboard-export-page"), fetched("html")), button(tr("transfer-for-me"), fetched("markdown")),
      button(tr("transfer-for-a-machine"), fetched("json"))));
}
