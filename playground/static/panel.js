// The memory next to the chat: fetches what is remembered of the open scope and lets each section draw its part.
// A new part is one more entry in SECTIONS.

import { accountSection, snippetsSection } from "./account.js";
import { blocksSection } from "./blocks.js";
import { byId, h, progress } from "./dom.js";
import { factsSection, profileSection } from "./knowledge.js";
import * as net from "./net.js";
import { pyramidSection } from "./pyramid.js";
import { tr } from "./texts.js";
import { startTracing } from "./tracing.js";
import { currentChat, isPrivate, on, state, threadIn, titleOf, topicsOf } from "./state.js";

// {id, title, draw(memory) → {note, body} | null}; null leaves the section out.
const SECTIONS = [pyramidSection, blocksSection, profileSection, factsSection, accountSection, snippetsSection];

const EVERY = 1500; // milliseconds: folding happens without any event in the chat

let shownScope = "";
let shownText = "";
let running = null;

export function startPanel() {
  startTracing(byId("panel"));
  for (const topic of ["all", "opened"]) on(topic, refresh);
  on("changed", ({ chatId }) => { if (chatId === state.current) refresh(); });
  setInterval(() => { if (!document.hidden && state.connected) refresh(); }, EVERY);
}

async function refresh() {
  const chat = currentChat();
  if (!chat) return;
  const scope = `${chat.id}/${threadIn(chat)}`;
  if (running === scope) return; // the next tick looks again
  running = scope;
  try {
    const memory = await net.memory(chat.id, threadIn(chat), AbortSignal.timeout(10_000));
    const text = JSON.stringify(memory);
    if (currentChat()?.id !== chat.id || (text === shownText && scope === shownScope)) return;
    const moved = scope !== shownScope;
    shownText = text;
    shownScope = scope;
    draw(chat, memory, moved);
  } catch {
    if (scope !== shownScope) byId("panel").replaceChildren(h("p", { class: "panel-empty" }, tr("page-memory-unreadable")));
  } finally {
    if (running === scope) running = null;
  }
}

function draw(chat, memory, moved) {
  const panel = byId("panel");
  const scrolled = moved ? 0 : panel.scrollTop;
  const focus = panel.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const sections = SECTIONS.map((section) => sectionOf(section, memory)).filter(Boolean);
  panel.replaceChildren(headOf(chat, memory), ...sections);
  panel.scrollTop = scrolled;
  if (focus) panel.querySelector(`[data-key="${focus}"]`)?.focus({ preventScroll: true });
}

function sectionOf(section, memory) {
  const drawn = section.draw(memory);
  if (!drawn) return null;
  return h("section", { class: `part ${section.id}`, "aria-labelledby": `part-${section.id}` },
    h("h3", { id: `part-${section.id}` }, section.title, drawn.note ? h("small", {}, drawn.note) : null), drawn.body);
}

function headOf(chat, { owner, folding }) {
  const topic = topicsOf(chat).find((one) => one.id === threadIn(chat));
  const whose = isPrivate(chat) ? tr("page-remembered-about", { name: titleOf(chat) }) : tr("page-remembered-in", { title: `${titleOf(chat)}${topic ? ` · ${topic.name}` : ""}` });
  const off = !owner.enabled;
  return h("header", { class: "panel-head" },
    h("h2", {}, tr("page-memory")),
    h("p", {}, whose),
    h("div", { class: "pills" },
      h("span", { class: off ? "pill off" : "pill on" }, tr(off ? "page-off" : "page-on")),
      owner.storage ? h("span", { class: "pill" }, owner.storage) : null,
      h("span", { class: "pill" }, tr("page-active", { number: owner.total - owner.archived })),
      h("span", { class: "pill" }, tr("page-archived", { number: owner.archived }))),
    off ? h("p", { class: "hint" }, tr("page-memory-off")) : null,
    owner.every_n > 0 && !off ? progress(tr("page-until-summary"), owner.unfolded_turns, owner.every_n, tr("page-turns-of", { done: owner.unfolded_turns, total: owner.every_n })) : null,
    folding ? foldingOf(folding) : null);
}

function foldingOf({ error }) {
  const failed = Boolean(error);
  return h("p", { class: failed ? "folding failed" : "folding", role: "status" },
    failed ? tr("page-summary-failed", { error }) : tr("page-summarising"));
}
