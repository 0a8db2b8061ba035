// The page for the bot's admins: people, usage, health, the queue, the last errors, and broadcasts.

import { askForText } from "./asking.js";
import { h } from "./dom.js";
import { read, write } from "./memory.js";
import { attempt, makeButton, askToConfirm, makePagedList, makePill, makeTile } from "./parts.js";
import { formatNumber, formatFullDate, formatCompact, formatSize, tr } from "./texts.js";

export const admin = {
  async draw(root) {
    const place = h("div", {});
    const show = (state) => place.replaceChildren(makeFigures(state), makeHealthCard(state), makeBroadcastCard(state, show), makePeopleList(state, show),
      makeErrorList(state));
    show(await read("admin"));
    root.append(place);
  },
};

const makeFigures = (state) => h("dl", { class: "tiles" },
  makeTile(tr("dashboard-admin-memories"), state.memories, tr("dashboard-admin-active", { number: state.active_week })),
  makeTile(tr("dashboard-admin-used"), formatCompact(state.used_today), state.budget ? tr("dashboard-admin-budget", { number: state.budget }) : ""),
  makeTile(tr("dashboard-admin-waiting"), state.waiting_updates),
  makeTile(tr("dashboard-admin-failed"), state.failed_folds),
  makeTile(tr("dashboard-admin-size"), formatSize(state.bytes)));

const makeHealthCard = ({ health: parts, models, backup }) => h("section", { class: "card" }, h("h3", {}, tr("dashboard-admin-health")),
  h("p", { class: "pills" }, Object.entries(parts).map(([name, isWell]) =>
    makePill(`${name}: ${tr(isWell ? "dashboard-admin-well" : "dashboard-admin-ill")}`, isWell ? "on" : "off"))),
  h("p", { class: "hint" }, models.join(" · ")), h("p", { class: "hint" }, backup));

const LONGEST = 3500; // characters of a message to everybody

function makeBroadcastCard({ broadcasts }, show) {
  const makeAction = (name, id) => async () => { const state = await write(`admin/broadcast${name}`, { id }); show(state); return state; };
  const writeBroadcast = () => attempt(async () => {
    let made = { id: 0, told: "", text: "" };
    const prepare = async (text) => { made = await write("admin/broadcast", { text }); };
    if (!await askForText(tr("broadcast-write"), tr("dashboard-next"), { label: tr("broadcast-write"), most: LONGEST }, prepare)) return null;
    const fields = [h("p", { class: "hint lines", dir: "auto" }, made.told), h("blockquote", { class: "text", dir: "auto" }, made.text)];
    return (await askToConfirm(tr("broadcast-write"), tr("broadcast-send"), fields)) ? makeAction("/send", made.id)() : null;
  });
  return h("section", { class: "card group-of-fields", "aria-label": tr("broadcast-write") },
    broadcasts.map((broadcast) => h("div", { class: "card-line" }, h("p", { class: "lines", dir: "auto", role: "status" }, broadcast.said),
      makeButton(tr("broadcast-stop"), (pressed) => attempt(makeAction("/stop", broadcast.id), pressed), { kind: "bad small" }))),
    h("div", { class: "actions" }, makeButton(tr("broadcast-write"), writeBroadcast, { symbol: "edit" })));
}

function makePeopleList({ people: all, everyone }, show) {
  const makeAction = (name, id) => (pressed) => attempt(async () =>
    { const state = await write(`admin/${name}`, { id }); show(state); return state; }, pressed);
  const makeRow = (person) => h("li", { class: "card card-line" },
    h("div", {}, h("p", { dir: "auto" }, h("b", {}, person.name || `#${person.id}`)),
      h("p", { class: "hint" }, [tr(`admin-standing-${person.standing}`),
      tr("dashboard-admin-tokens", { tokens: formatNumber(person.used_today) })].join(" · "))),
    h("div", { class: "actions" },
      person.standing !== "allowed" ? makeButton(tr("admin-allow"), makeAction("allow", person.id), { kind: "small" }) : null,
      person.standing === "asked" ? makeButton(tr("admin-refuse"), makeAction("refuse", person.id), { kind: "small" }) : null,
      person.standing === "allowed" ? makeButton(tr("admin-remove"), makeAction("remove", person.id), { kind: "bad small" }) : null));
  return h("section", {}, h("h3", {}, tr("admin-button-people")), everyone
    ? h("p", { class: "hint" }, tr("admin-let-in-people", { people: tr("admin-everyone") })) : null,
    makePagedList(all, (part) => h("ul", { class: "cards" }, part.map(makeRow))));
}

const makeErrorList = ({ errors: all }) => h("section", {}, h("h3", {}, tr("admin-button-errors")),
  all.length ? h("ul", { class: "cards" }, all.slice(0, 50).map(
    (error) => h("li", { class: "card" }, h("p", { class: "hint" }, `${formatFullDate(error.at)} · ${error.where}`),
    h("p", { class: "text mono" }, error.text)))) : h("p", { class: "hint" }, tr("admin-no-errors")));
