// The settings page. Each change is saved at once.

import { h, makeIcon } from "./dom.js";
import { forget } from "./forget.js";
import { memory, read, write, refreshHome } from "./memory.js";
import { listTyped, replaceContent, restoreTyped } from "./swap.js";
import { attempt, makeButton, makeDateInput, makeSelect, askToConfirm, makeLabelledField, makePagedList, requestRedraw } from "./parts.js";
import { signOut } from "./net.js";
import { tr } from "./texts.js";

export const settings = {
  async draw(root) {
    const [now, { reminders }] = await Promise.all([read("settings"), read("reminders")]);
    const place = h("div", { class: "settings-groups" });
    const saveChange = (change, field = null) => attempt(async () => {
      const answer = await write("settings", { change });
      if ("language" in change) setTimeout(() => location.reload(), 600);
      if (field?.defaultValue !== undefined) field.defaultValue = field.value; // saved, so redrawing need not keep it
      showSettings(answer.settings ?? now);
      refreshHome().catch(() => {});
      return answer;
    }).then((worked) => { if (!worked) showSettings(now); return worked; });
    let missing = new Map(); // what is typed in fields that are not offered while memory is off
    const showSettings = (state) => {
      Object.assign(now, state);
      missing = new Map([...missing, ...listTyped(place)]);
      replaceContent(place, ...makeGroups(now, saveChange));
      missing = restoreTyped(place, missing);
    };
    showSettings(now);
    root.append(place, makeReminders(reminders), makeConversationSection(), makeForgetSection(), makeSignOutButton());
  },
};

function makeGroups(now, saveChange) {
  return [
    ...now.groups.map(([title, choices]) => makeGroup(title, ...choices.map((offered) => makeChoiceField(offered, now, saveChange)))),
    makeGroup(tr("basics-button-stored"), ...now.privacy.split("\n\n").map((paragraph) => h("p", { dir: "auto" }, paragraph))),
  ];
}

/** Create the field of a choice, which is a switch, a list, a number or a text. */
function makeChoiceField({ name, kind, label, hint, value, values, longest }, now, saveChange) {
  const act = (chosen, field) => saveChange({ [name]: chosen }, field);
  const makeListeners = (parse) => ({ change: ({ currentTarget: field }) => { if (field.reportValidity()) act(parse(field.value), field); } });
  if (kind === "switch") return makeToggle(label, hint, value, act);
  if (kind === "one") return makeLabelledField(label, makeSelect(values, value, makeChoiceHandler(name, value, act)), hint);
  if (kind === "number") {
    return h("div", {}, makeLabelledField(label, h("input", { type: "number", min: "1", max: String(now.most_every_n), required: true, autocomplete: "off",
      value: String(value), data: { key: name, atOnce: "" }, list: "thresholds", inputMode: "numeric", on: makeListeners(Number) })),
      h("datalist", { id: "thresholds" }, now.thresholds.map((threshold) => h("option", { value: String(threshold) }))));
  }
  if (longest > 100) return makeTextArea(name, label, hint, value, longest, act);
  return makeLabelledField(label, h("input", { type: "text", value, data: { key: name, atOnce: "" }, maxLength: longest, autocomplete: "off",
    on: makeListeners(String) }), hint);
}

const makeChoiceHandler = (name, value, act) => {
  if (name === "storage") return makeMoveHandler(value, act);
  return name === "persona" ? makePersonaHandler(value, act) : act;
};

/** Return a handler that asks for the person's own words, if there are none yet, before they can be chosen. */
const makePersonaHandler = (value, act) => (persona, field) => {
  const words = field.closest(".settings-groups").querySelector("[data-key=persona_text]");
  if (persona !== "own" || words.defaultValue) return act(persona, field);
  field.value = value;
  return words.focus();
};

/** Return a handler that asks for confirmation before the memory moves to another storage. */
const makeMoveHandler = (value, act) => async (storage, field) => {
  if (await askToConfirm(tr("dashboard-set-move"), tr("dashboard-set-move-now"),
    [h("p", { class: "hint" }, tr("dashboard-set-move-hint"))])) act(storage, field);
  else field.value = value;
};

const makeGroup = (title, ...fields) => h("section", { class: "card group-of-fields" }, h("h3", {}, title), ...fields.filter(Boolean));

const makeToggle = (name, hint, isOn, act) => h("label", { class: "toggle" },
  h("span", {}, name, hint ? h("small", {}, hint) : null), h("input",
    { type: "checkbox", role: "switch", checked: isOn, on: { change: (event) =>
    act(event.currentTarget.checked, event.currentTarget) } }));

function makeTextArea(key, name, hint, value, most, act) {
  const field = h("textarea", { value, data: { key }, maxLength: most, rows: 2, dir: "auto" });
  const save = makeButton(tr("dashboard-save"), () => act(field.value, field), { kind: "small" });
  save.hidden = true;
  field.addEventListener("input", () => { save.hidden = field.value === value; });
  return h("div", {}, makeLabelledField(name, field, hint), save);
}

function makeReminders(reminders) {
  const place = h("div", {});
  const changeReminders = async (name, what) => {
    const answer = await write(`reminders/${name}`, what);
    if (!answer.proposed) { showReminders(answer.reminders); return answer; }
    const { asked, ...reminder } = answer.proposed;
    const isWanted = await askToConfirm(asked, tr("reminders-yes"), [h("p", { class: "text", dir: "auto" }, reminder.text)]);
    return isWanted ? changeReminders(name, reminder) : answer;
  };
  const makeRow = (reminder) => h("li", { class: "card card-line" },
    h("div", {}, h("p", { class: "text", dir: "auto" }, reminder.text),
      h("p", { class: "hint" }, reminder.when)),
    makeButton(tr("memory-button-delete"), (pressed) => attempt(() => changeReminders("remove", { id: reminder.id }), pressed), { kind: "bad small" }));
  const showReminders = (all) => replaceContent(place, all.length ? makePagedList(all, (part) => h("ul", { class: "cards" }, part.map(makeRow)),
    { size: 20 }) : h("p", { class: "hint" }, tr("reminders-none")));
  const field = h("input", { type: "text", maxLength: 1000, required: true, dir: "auto", data: { key: "reminder" } });
  const add = h("button", { class: "button" }, makeIcon("plus"), tr("dashboard-add"));
  const submit = async (event) => {
    event.preventDefault();
    if (await attempt(() => changeReminders("add", { text: field.value }), add)) field.value = "";
  };
  const form = h("form", { class: "group-of-fields", on: { submit } },
    makeLabelledField(tr("dashboard-reminder-hint"), field), h("div", { class: "actions" }, add));
  showReminders(reminders);
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-reminders")), place, form);
}

function makeConversationSection() {
  const { home } = memory;
  const open = home.scopes.find((scope) => scope.thread === home.thread);
  const title = h("input", { type: "text", value: open?.label ?? "", maxLength: 100, dir: "auto", data: { key: `title-${home.thread}` } });
  const begin = async () => {
    const answer = await write("conversations/begin");
    memory.thread = answer.scopes.find((scope) => scope.is_open)?.thread ?? memory.thread;
    return answer;
  };
  const makeAction = (act) => (pressed) => attempt(async () => { const answer = await act(); await refreshHome(); requestRedraw(); return answer; }, pressed);
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-conversation")),
    makeLabelledField(tr("dashboard-conversation-title"), title),
    h("div", { class: "actions" },
      makeButton(tr("dashboard-save"), makeAction(() => write("conversations/name", { title: title.value }))),
      open && !open.is_open ? makeButton(tr("dashboard-conversation-open"), makeAction(() => write("conversations/open"))) : null,
      makeButton(tr("chats-untitled"), makeAction(begin), { symbol: "plus" })));
}

function makeForgetSection() {
  const first = makeDateInput({ required: true });
  const last = makeDateInput();
  const forgetDays = () => {
    last.min = first.value || last.min;
    if (first.reportValidity() && last.reportValidity()) {
      forget({ what: "days", first: first.value, last: last.value || first.value }, requestRedraw);
    }
  };
  return h("section", { class: "card group-of-fields" }, h("h3", {}, tr("dashboard-forget")),
    h("div", { class: "two-fields" }, makeLabelledField(tr("dashboard-filter-since"), first), makeLabelledField(tr("dashboard-filter-until"), last)),
    h("div", { class: "actions" },
      makeButton(tr("dashboard-forget-days"), forgetDays, { kind: "bad" }),
      makeButton(tr("dashboard-forget-conversation"), () => forget({ what: "conversation" }, requestRedraw), { kind: "bad" }),
      makeButton(tr("forget-all-of-it"), () => forget({ what: "everything" }, requestRedraw), { kind: "bad" })));
}

const makeSignOutButton = () => h("div", { class: "actions" }, makeButton(tr("dashboard-sign-out"), (pressed) => attempt(signOut, pressed),
  { kind: "bad" }));
