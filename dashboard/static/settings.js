// All that /settings can do, in groups; each change is saved as it is made.

import { h, icon } from "./dom.js";
import { forget } from "./forget.js";
import { memory, read, write, look } from "./memory.js";
import { swap } from "./swap.js";
import { attempt, button, choice, confirmed, labelled, paged, redraw } from "./parts.js";
import { signOut } from "./net.js";
import { fullDate, tr } from "./texts.js";

export const settings = {
  async draw(root) {
    const [now, { reminders }] = await Promise.all([read("settings"), read("reminders")]);
    const place = h("div", { class: "settings-groups" });
    const save = (change, field = null) => attempt(async () => {
      const answer = await write("settings", { change });
      if ("language" in change) setTimeout(() => location.reload(), 600);
      if (field?.defaultValue !== undefined) field.defaultValue = field.value; // it is saved: nothing is to be kept
      show(answer.settings ?? now);
      look().catch(() => {});
      return answer;
    }).then((worked) => { if (!worked) show(now); return worked; });
    const show = (state) => { Object.assign(now, state); swap(place, ...groups(now, save)); };
    show(now);
    root.append(place, remindersOf(reminders), conversationOf(), erasing(), leaving());
  },
};

function groups(now, save) {
  return [
    ...now.groups.map(([title, choices]) => group(title, ...choices.map((one) => fieldOf(one, now, save)))),
    group(tr("basics-button-stored"), ...now.privacy.split("\n\n").map((one) => h("p", { dir: "auto" }, one))),
  ];
}

/** The field of a choice, by its kind; a switch, a list, a number or a text. */
function fieldOf({ name, kind, label, hint, value, values, longest }, now, save) {
  const act = (chosen, field) => save({ [name]: chosen }, field);
  const onChange = (read) => ({ change: (event) => act(read(event.currentTarget.value), event.currentTarget) });
  if (kind === "switch") return toggle(label, hint, value, act);
  if (kind === "one") return labelled(label, choice(values, value, name === "storage" ? moving(value, act) : act), hint);
  if (kind === "number") {
    return h("div", {}, labelled(label, h("input", { type: "number", min: "1", max: String(now.most_every_n),
      value: String(value), list: "thresholds", inputMode: "numeric", on: onChange(Number) })),
      h("datalist", { id: "thresholds" }, now.thresholds.map((one) => h("option", { value: String(one) }))));
  }
  if (longest > 100) return longText(label, hint, value, longest, act);
  return labelled(label, h("input", { type: "text", value, maxLength: longest, autocomplete: "off", on: onChange(String) }), hint);
}

/** Moves the memory to another storage, once that is confirmed. */
const moving = (value, act) => async (storage, field) => {
  if (await confirmed(tr("dashboard-set-move"), tr("dashboard-set-move"),
    [h("p", { class: "hint" }, tr("dashboard-set-move-hint"))])) act(storage, field);
  else field.value = value;
};

const group = (title, ...fields) => h("section", { class: "card group-of-fields" }, h("h3", {}, title), ...fields.filter(Boolean));

const toggle = (name, hint, isOn, act) => h("label", { class: "toggle" },
  h("span", {}, name, hint ? h("small", {}, hint) : null), h("input",
    { type: "checkbox", role: "switch", checked: isOn, on: { change: (event) =>
    act(event.currentTarget.checked, event.currentTarget) } }));

function longText(name, hint, value, most, act) {
  const field = h("textarea", { value, maxLength: most, rows: 2, dir: "auto" });
  const save = button(tr("dashboard-save"), () => act(field.value, field), { kind: "small" });
  save.hidden = true;
  field.addEventListener("input", () => { save.hidden = field.value === value; });
  return h("div", {}, labelled(name, field, hint), save);
}

function remindersOf(reminders) {
  const place = h("div", {});
  const changed = async (name, what) => {
    const answer = await write(`reminders/${name}`, what);
    if (!answer.proposed) { show(answer.reminders); return answer; }
    const { asked, ...wish } = answer.proposed;
    const isWanted = await confirmed(asked, tr("reminders-yes"), [h("p", { class: "text", dir: "auto" }, wish.text)]);
    return isWanted ? changed(name, wish) : answer;
  };
  const row = (one) => h("li", { class: "card card-line" },
    h("div", {}, h("p", { class: "text", dir: "auto" }, one.text),
      h("p", { class: "hint" }, one.repeat ? tr(`reminders-each-${one.repeat}`, { when: fullDate(one.due_at) })
      : fullDate(one.due_at))),
    button(tr("memory-button-delete"), (pressed) => attempt(() => changed("remove", { id: one.id }), pressed), { kind: "bad small" }));
  const show = (all) => swap(place, all.length ? paged(all, (part) => h("ul", { class: "cards" }, part.map(row)),
    { size: 20 }) : h("p", { class: "hint" }, tr("reminders-none")));
  const field = h("input", { type: "text", maxLength: 1000, required: true, dir: "auto", data: { key: "reminder" } });
  const add = h("button", { class: "button" }, icon("plus"), tr("dashboard-add"));
  const form = h("form", { class: "group-of-fields", on: { submit: (event) =>
    { event.preventDefault(); attempt(() => changed("add", { text: field.value }),
    add).then((worked) => { if (worked) field.value = ""; }); } } },
    labelled(tr("dashboard-reminder-hint"), field), h("div", { class: "actions" }, add));
  show(reminders);
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-reminders")), place, form);
}

function conversationOf() {
  const { home } = memory;
  const open = home.scopes.find((one) => one.thread === home.thread);
  const title = h("input", { type: "text", value: open?.label ?? "", maxLength: 100, dir: "auto" });
  const after = (act) => (pressed) => attempt(async () => { const answer = await act(); await look(); redraw(); return answer; }, pressed);
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-conversation")),
    labelled(tr("dashboard-conversation-title"), title),
    h("div", { class: "actions" },
      button(tr("dashboard-save"), after(() => write("conversations/name", { title: title.value }))),
      open && !open.is_open ? button(tr("dashboard-conversation-open"), after(() => write("conversations/open"))) : null,
      button(tr("chats-untitled"), after(async () => { const answer = await write("conversations/begin");
      memory.thread = answer.scopes.find((one) => one.is_open)?.thread ?? memory.thread; return answer; }), { symbol: "plus" })));
}

function erasing() {
  const first = h("input", { type: "date", required: true });
  const last = h("input", { type: "date" });
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-forget")),
    h("div", { class: "two-fields" }, labelled(tr("dashboard-filter-since"), first), labelled(tr("dashboard-filter-until"), last)),
    h("div", { class: "actions" },
      button(tr("dashboard-forget-days"), () => { if (first.reportValidity()) forget(
        { what: "days", first: first.value, last: last.value || first.value }, redraw); }, { kind: "bad" }),
      button(tr("dashboard-forget-conversation"), () => forget({ what: "conversation" }, redraw), { kind: "bad" }),
      button(tr("forget-all-of-it"), () => forget({ what: "everything" }, redraw), { kind: "bad" })));
}

const leaving = () => h("div", { class: "actions" }, button(tr("dashboard-sign-out"), (pressed) => attempt(signOut, pressed),
  { kind: "bad" }));
