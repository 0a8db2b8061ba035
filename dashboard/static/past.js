// The page for imports, learning facts from them, and exports.

import { h, makeProgressBar } from "./dom.js";
import { refreshHome, memory, read, write } from "./memory.js";
import * as net from "./net.js";
import { attempt, makeButton, makeLabelledField, requestRedraw } from "./parts.js";
import { replaceContent } from "./swap.js";
import { tr, visit } from "./texts.js";

export const past = {
  async draw(root) {
    const { offer, paste } = await read("learning");
    root.append(makeImportSection(paste), ...[makeLearningSection(offer)].filter(Boolean), makeExportSection());
  },
  refresh() {}, // the result of an import stays visible after its messages arrived
};

function makeImportSection(paste) {
  const place = h("div", { class: "import" });
  const file = h("input", { type: "file", on: { change: () => { if (file.files[0]) planImport(place, file.files[0], {}); } } });
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("transfer-import")),
    h("p", { class: "hint" }, tr("dashboard-import-about")),
    makeLabelledField(tr("dashboard-import-file"), file), makePasteForm(place, paste), place);
}

/** Create the form for facts that another assistant has listed. */
function makePasteForm(place, prompt) {
  const field = h("textarea", { rows: 4, required: true, dir: "auto", data: { key: "paste" } });
  const submit = (event) => { event.preventDefault(); planImport(place, new File([field.value], ""), {}); };
  const form = h("form", { class: "group-of-fields", on: { submit } },
    h("p", { class: "hint" }, tr("dashboard-import-paste-about")), h("blockquote", { class: "text", dir: "auto" }, prompt),
    makeLabelledField(tr("dashboard-import-answer"), field), h("div", { class: "actions" }, h("button", { class: "button" }, tr("dashboard-next"))));
  return h("details", {}, h("summary", {}, tr("transfer-paste")), form);
}

const makeParameters = (file, answers) => ({ owner: memory.owner, thread: memory.thread, name: file.name, answers: JSON.stringify(answers) });

/** Show what an import would do, and ask its questions until all are answered. */
const planImport = (place, file, answers) => attempt(async () => {
  const asked = place.asked = {}; // another file may be chosen before this one is read
  const showProgress = (sent) => { if (place.asked === asked) replaceContent(place, sent < file.size
    ? makeProgressBar(tr("dashboard-import-sending"), sent, file.size, `${Math.floor((100 * sent) / file.size)} %`)
    : makeProgressBar(tr("dashboard-import-reading"), 1, 1, "")); };
  showProgress(0);
  try {
    const plan = await net.uploadWithProgress("import/plan", makeParameters(file, answers), file, showProgress);
    if (place.asked !== asked) return null;
    const fields = plan.questions.map((question) => makeQuestion(question));
    const planAgain = (event) => { event.preventDefault(); planImport(place, file,
      { ...answers, ...Object.fromEntries(fields.map((field) => [field.key, field.chosen()])) }); };
    const buttons = plan.questions.length ? h("button", { class: "button main" }, tr("dashboard-next"))
      : plan.has_new ? makeButton(tr("transfer-import"), () => runImport(place, file, answers), { kind: "main" }) : makeLearnButton(plan.learn);
    replaceContent(place, h("form", { class: "import", on: { submit: planAgain } }, h("p", { class: "lines", dir: "auto" }, plan.text),
      listInstructions(plan.instructions), ...fields.map((field) => field.node), h("div", { class: "actions" }, buttons)));
  } catch (problem) {
    if (place.asked !== asked) return null;
    replaceContent(place);
    // A proxy may refuse the file with a message of its own.
    throw problem.status === 413 ? new net.Refused(413, `${tr("web-too-large")} ${tr("files-smaller")}`) : problem;
  }
  return null;
});

/** List the instructions that were found in a file, folded under their number. */
const listInstructions = ({ heading, texts }) => (texts.length ? h("details", {}, h("summary", { dir: "auto" }, heading),
  h("ul", {}, texts.map((text) => h("li", { dir: "auto" }, text)))) : null);

function makeQuestion({ key, text, options, several, chosen }) {
  const inputs = options.map((option, index) => h("input", { type: several ? "checkbox" : "radio", name: key, value: String(index),
    required: !several, checked: chosen.includes(index) }));
  const node = h("fieldset", {}, h("legend", { dir: "auto" }, text),
    inputs.map((input, index) => h("label", { class: "check" }, input, h("span", { dir: "auto" }, options[index]))));
  return { key, node, chosen: () => inputs.filter((input) => input.checked).map((input) => Number(input.value)) };
}

const ENDING = 10; // seconds until a paused import has surely ended on the server

/** Run an import and show its progress. If another import is running, retry `patience` times, once a second. */
async function runImport(place, file, answers, patience = 0) {
  const stopping = new AbortController();
  const bar = h("div");
  const showProgress = (done, total, shown = tr("search-so-far", { shown: done, total })) =>
    bar.replaceChildren(makeProgressBar(tr("transfer-importing"), done, total, shown));
  replaceContent(place, bar, h("div", { class: "actions" }, makeButton(tr("transfer-pause"), () => stopping.abort())));
  place.dataset.busy = "1";
  showProgress(0, 1, "");
  try {
    let end = null;
    for await (const line of readLines(await net.upload("import/run", makeParameters(file, answers), file, stopping.signal))) {
      if (line.error) throw new net.Refused(line.is_busy ? 409 : 400, line.error);
      if (line.said !== undefined) end = line;
      else showProgress(line.done, line.total);
    }
    replaceContent(place, h("p", { class: "lines", dir: "auto", role: "status" }, end?.said ?? tr("transfer-paused")),
      ...(end?.learn ? [h("p", { class: "hint" }, end.learn.text), h("div", { class: "actions" }, makeLearnButton(end.learn))] : []));
  } catch (problem) {
    if (problem.status === 409 && patience) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return await runImport(place, file, answers, patience - 1);
    }
    const isPaused = problem.name === "AbortError";
    replaceContent(place, h("p", { class: "hint", role: "status" }, isPaused ? tr("transfer-paused")
      : (problem.status && problem.message) || tr("shared-failed")), h("div", { class: "actions" },
      makeButton(tr("transfer-go-on"), () => runImport(place, file, answers, ENDING), { kind: "main" })));
  } finally {
    delete place.dataset.busy;
    refreshHome().catch(() => {});
  }
}

/** Yield the objects of a stream of JSON lines. */
async function* readLines(answer) {
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

const makeRefreshingAction = (act) => (pressed) => attempt(async () => { const answer = await act(); await refreshHome(); requestRedraw(); return answer; },
  pressed);

const makeLearnButton = (offer) => (offer ? makeButton(tr("learning-offer"),
  makeRefreshingAction(() => write("learn", { first: offer.first, last: offer.last })), { kind: "main" }) : null);

/** Create the section that offers to learn facts from all imports, or to stop learning. Return null if neither is possible. */
function makeLearningSection(offer) {
  const isLearning = Boolean(memory.home.learning);
  if (!offer && !isLearning) return null;
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("learning-offer")), isLearning ? null
    : h("p", { class: "hint" }, offer.text),
    h("div", { class: "actions" }, isLearning ? makeButton(tr("answers-stop"), makeRefreshingAction(() => write("learn/stop")), { kind: "bad" })
      : makeLearnButton(offer)));
}

/** Return true if the page may save files. Telegram's apps forbid it, and so may the frame around the page. */
function canSaveFiles() {
  if (visit.proof === "init_data") return false;
  if (window.parent === window) return true;
  const frame = /** @type {HTMLIFrameElement} */ (window.frameElement); // null if another site embeds the page
  return frame !== null && (!frame.hasAttribute("sandbox") || frame.sandbox.contains("allow-downloads"));
}

function makeExportSection() {
  const saveExport = async (format) => {
    const { blob, filename } = await net.download("export", { owner: memory.owner, format });
    const address = URL.createObjectURL(blob);
    h("a", { href: address, download: filename }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  const makeExportAction = (format) => (pressed) => attempt(() => (canSaveFiles() ? saveExport(format) : write("export/send", { format })), pressed);
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-export")),
    canSaveFiles() ? null : h("p", { class: "hint" }, tr("dashboard-export-into-chat")),
    h("div", { class: "actions" }, makeButton(tr("dashboard-export-page"), makeExportAction("html")),
      makeButton(tr("transfer-for-me"), makeExportAction("markdown")), makeButton(tr("transfer-for-a-machine"), makeExportAction("json"))));
}
