// The page for the bot's admins: people, usage, health, the queue and the last errors.

import { h } from "./dom.js";
import { read, write } from "./memory.js";
import { attempt, makeButton, makePagedList, makePill, makeTile } from "./parts.js";
import { formatNumber, formatFullDate, formatCompact, formatSize, tr } from "./texts.js";

export const admin = {
  async draw(root) {
    const place = h("div", {});
    const show = (state) => place.replaceChildren(makeFigures(state), makeHealthCard(state), makePeopleList(state, show),
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
