// For those who run the bot: people, use, health, the queue, the last errors, and a message to everybody.

import { h } from "./dom.js";
import { read, write } from "./memory.js";
import { asked, attempt, button, confirmed, paged, pill, tile } from "./parts.js";
import { counted, fullDate, roughly, sizeOf, tr } from "./texts.js";

export const admin = {
  async draw(root) {
    const place = h("div", {});
    const show = (state) => place.replaceChildren(figures(state), health(state), broadcast(state, show), people(state, show),
      errors(state));
    show(await read("admin"));
    root.append(place);
  },
};

const figures = (state) => h("dl", { class: "tiles" },
  tile(tr("dashboard-admin-memories"), state.memories, tr("dashboard-admin-active", { number: state.active_week })),
  tile(tr("dashboard-admin-used"), roughly(state.used_today), state.budget ? tr("dashboard-admin-budget", { number: state.budget }) : ""),
  tile(tr("dashboard-admin-waiting"), state.waiting_updates),
  tile(tr("dashboard-admin-failed"), state.failed_folds),
  tile(tr("dashboard-admin-size"), sizeOf(state.bytes)));

const health = ({ health: parts, models, backup }) => h("section", { class: "card" }, h("h3", {}, tr("dashboard-admin-health")),
  h("p", { class: "pills" }, Object.entries(parts).map(([name, isWell]) =>
    pill(`${name}: ${tr(isWell ? "dashboard-admin-well" : "dashboard-admin-ill")}`, isWell ? "on" : "off"))),
  h("p", { class: "hint" }, models.join(" · ")), h("p", { class: "hint" }, backup));

const LONGEST = 3500; // characters of a message to everybody

function broadcast({ broadcasts }, show) {
  const act = (name, id) => async () => { const state = await write(`admin/broadcast${name}`, { id }); show(state); return state; };
  const writes = () => attempt(async () => {
    const text = await asked(tr("broadcast-write"), tr("dashboard-next"), { label: tr("broadcast-write"), most: LONGEST });
    if (!text) return null;
    const made = await write("admin/broadcast", { text });
    const fields = [h("p", { class: "hint lines", dir: "auto" }, made.told), h("blockquote", { class: "text", dir: "auto" }, made.text)];
    return (await confirmed(tr("broadcast-write"), tr("broadcast-send"), fields)) ? act("/send", made.id)() : null;
  });
  return h("section", { class: "card group-of-fields", "aria-label": tr("broadcast-write") },
    broadcasts.map((one) => h("div", { class: "card-line" }, h("p", { class: "lines", dir: "auto", role: "status" }, one.said),
      button(tr("broadcast-stop"), (pressed) => attempt(act("/stop", one.id), pressed), { kind: "bad small" }))),
    h("div", { class: "actions" }, button(tr("broadcast-write"), writes, { symbol: "edit" })));
}

function people({ people: all, everyone }, show) {
  const act = (name, id) => (pressed) => attempt(async () =>
    { const state = await write(`admin/${name}`, { id }); show(state); return state; }, pressed);
  const row = (one) => h("li", { class: "card card-line" },
    h("div", {}, h("p", { dir: "auto" }, h("b", {}, one.name || `#${one.id}`)),
      h("p", { class: "hint" }, [tr(`admin-standing-${one.standing}`),
      tr("dashboard-admin-tokens", { tokens: counted(one.used_today) })].join(" · "))),
    h("div", { class: "actions" },
      one.standing !== "allowed" ? button(tr("admin-allow"), act("allow", one.id), { kind: "small" }) : null,
      one.standing === "asked" ? button(tr("admin-refuse"), act("refuse", one.id), { kind: "small" }) : null,
      one.standing === "allowed" ? button(tr("admin-remove"), act("remove", one.id), { kind: "bad small" }) : null));
  return h("section", {}, h("h3", {}, tr("admin-button-people")), everyone
    ? h("p", { class: "hint" }, tr("admin-let-in-people", { people: tr("admin-everyone") })) : null,
    paged(all, (part) => h("ul", { class: "cards" }, part.map(row))));
}

const errors = ({ errors: all }) => h("section", {}, h("h3", {}, tr("admin-button-errors")),
  all.length ? h("ul", { class: "cards" }, all.slice(0, 50).map(
    (one) => h("li", { class: "card" }, h("p", { class: "hint" }, `${fullDate(one.at)} · ${one.where}`),
    h("p", { class: "text mono" }, one.text)))) : h("p", { class: "hint" }, tr("admin-no-errors")));
