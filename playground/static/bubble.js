// One message as a bubble: quote, media, text, time, inline buttons, and the small tools next to it.
// Draws what it is given; what a click does is decided by the callbacks.

import { avatar, clockOf, fullDate, h, icon } from "./dom.js";
import { renderText } from "./entities.js";
import { fileUrl } from "./net.js";
import { sizeOf, tr } from "./texts.js";
import { kindOf, lineOf, nameOf, richOf, textOf } from "./words.js";

/**
 * `view`: {mine, named (show who speaks), joined (continues the bubble above), canEdit};
 * `act`: {command(text), press(message, button, element), reply(message), edit(message), copy(message), jump(id)}.
 */
export function bubbleOf(message, view, act) {
  const side = message.from?.is_bot ? "bot" : "person";
  const body = h("div", { class: "bubble" },
    view.named && !view.joined ? h("p", { class: "sender", vars: { "--hue": view.hue } }, nameOf(message.from)) : null,
    isReply(message) ? quoteOf(message.reply_to_message, act) : null,
    mediaOf(message),
    h("div", { class: "text", dir: "auto" }, renderText(textOf(message), message.entities ?? message.caption_entities, act.command), metaOf(message)),
    message.reactions?.length ? h("p", { class: "reactions" }, message.reactions.join(" ")) : null);
  return h("article", {
    class: `message ${view.mine ? "out" : "in"} ${side}${view.joined ? " joined" : ""}`,
    tabIndex: -1, data: { id: String(message.message_id) }, "aria-label": `${nameOf(message.from)}, ${clockOf(dateOf(message))}`,
    on: { keydown: (event) => shortcut(event, message, view, act) },
  },
  view.mine ? null : h("span", { class: "side" }, view.joined ? null : avatar(message.from?.id, nameOf(message.from), { bot: message.from?.is_bot })),
  h("div", { class: "stack" }, body, keyboardOf(message, act)),
  toolsOf(message, view, act));
}

/** The reply that is being written, before it is a message. */
export function draftOf(draft) {
  const text = draft.text ?? richOf(draft);
  const body = text
    ? h("div", { class: "text", dir: "auto" }, renderText(text, draft.entities), h("span", { class: "caret", "aria-hidden": "true" }))
    : dots();
  return h("article", { class: "message in bot draft", "aria-label": tr("page-typing") },
    h("span", { class: "side" }, avatar(0, "", { bot: true })), h("div", { class: "stack" }, h("div", { class: "bubble" }, body)));
}

const dots = () => h("span", { class: "dots", role: "img", "aria-label": tr("page-typing") }, h("i"), h("i"), h("i"));

export const dateOf = (message) => new Date(message.date * 1000);

function metaOf(message) {
  return h("span", { class: "meta" },
    message.edit_date ? h("span", { class: "edited" }, tr("dashboard-edited")) : null,
    h("time", { dateTime: dateOf(message).toISOString(), title: fullDate(dateOf(message)) }, clockOf(dateOf(message))));
}

// Everything in a topic answers the message that created it; clients show only answers to something said.
const isReply = ({ reply_to_message: replied }) => Boolean(replied) && !replied.forum_topic_created;

function quoteOf(replied, act) {
  return h("button", { type: "button", class: "quote", on: { click: () => act.jump(replied.message_id) } },
    h("b", {}, nameOf(replied.from)), h("span", {}, lineOf(replied)));
}

const FILES = ["document", "voice", "audio", "video", "video_note", "animation", "sticker"];

function mediaOf(message) {
  if (message.photo?.length) {
    const alt = [tr("page-kind-photo"), message.caption].filter(Boolean).join(": ");
    return h("img", { class: "photo", src: fileUrl(message.photo.at(-1).file_id), alt, loading: "lazy" });
  }
  const file = FILES.map((kind) => message[kind]).find(Boolean);
  if (!file) return null;
  const name = kindOf(message);
  if (message.voice || message.audio) {
    return h("div", { class: "sound" }, h("b", {}, name), h("audio", { controls: true, preload: "metadata", src: fileUrl(file.file_id) }));
  }
  return h("a", { class: "file", href: fileUrl(file.file_id), download: file.file_name ?? name, "aria-label": tr("page-download", { name }) },
    h("span", { class: "file-icon" }, icon("file")), h("b", {}, name), h("small", {}, sizeOf(file.file_size)));
}

function keyboardOf(message, act) {
  const rows = message.reply_markup?.inline_keyboard ?? [];
  if (!rows.length) return null;
  return h("div", { class: "keyboard" }, rows.map((row) => h("div", { class: "keyboard-row" }, row.map((button) => keyOf(message, button, act)))));
}

function keyOf(message, button, act) {
  if (button.url && /^https?:/i.test(button.url)) {
    return h("a", { class: "key", dir: "auto", href: button.url, target: "_blank", rel: "noopener noreferrer" }, button.text, icon("link"));
  }
  const key = h("button", { type: "button", class: `key ${button.style ?? ""}`.trim(), dir: "auto" }, button.text);
  key.addEventListener("click", () => act.press(message, button, key));
  return key;
}

function toolsOf(message, view, act) {
  const tool = (name, label, run) =>
    h("button", { type: "button", tabIndex: -1, title: label, "aria-label": label, on: { click: run } }, icon(name));
  return h("div", { class: "tools" },
    tool("reply", tr("page-reply-key"), () => act.reply(message)),
    message.from?.is_bot ? h("button", { type: "button", tabIndex: -1, title: "👎", on: { click: () => act.dislike(message) } }, "👎") : null,
    textOf(message) ? tool("copy", tr("page-copy-key"), () => act.copy(message)) : null,
    view.canEdit ? tool("edit", tr("page-edit-key"), () => act.edit(message)) : null);
}

function shortcut(event, message, view, act) {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  const run = { r: act.reply, Enter: act.reply, c: act.copy, e: view.canEdit ? act.edit : undefined }[event.key];
  if (!run) return;
  event.preventDefault();
  run(message);
}
