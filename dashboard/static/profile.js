// The profile, version by version: the newest large, and any two side by side with what one says and the other does not.

import { h } from "./dom.js";
import { read, write } from "./memory.js";
import { attempt, button, choice, confirmed, empty, redraw } from "./parts.js";
import { fullDate, tr } from "./texts.js";

let compared = null; // id of the earlier version that stands next to the newest

export const profile = {
  async draw(root) {
    const { versions } = await read("profile");
    const refresh = button(tr("memory-button-rewrite"), (pressed) =>
      attempt(async () => { await write("profile/refresh"); redraw(); }, pressed), { symbol: "again" });
    root.append(h("p", { class: "hint" }, tr("dashboard-profile-about")), h("div", { class: "actions" }, refresh));
    if (!versions.length) return root.append(empty(tr("memory-no-profile")));
    const place = h("div", { class: "versions" });
    const [newest, ...earlier] = versions;
    const show = () => {
      const other = earlier.find((one) => one.id === compared) ?? null;
      place.classList.toggle("two", Boolean(other));
      place.replaceChildren(versionOf(newest, other, "added"), ...(other ? [versionOf(other, newest, "gone")] : []));
    };
    if (earlier.length) {
      const names = [["", "–"], ...earlier.map((one) => [one.id, fullDate(one.created_at)])];
      root.append(h("label", { class: "field inline" }, h("span", {}, tr("dashboard-profile-compare")),
        choice(names, compared ?? "", (id) => { compared = Number(id) || null; show(); })));
    }
    show();
    return root.append(place);
  },
};

const parts = (text) => text.split(/(?<=[.!?。！？؟]\s)|\n/u).filter((part) => part.trim());

function versionOf(version, other, kind) {
  const known = new Set(other ? parts(other.text).map((part) => part.trim()) : []);
  const lines = version.text.split("\n").map((line) => h("p", { dir: "auto" },
    parts(line).map((part) => (other && !known.has(part.trim()) ? h(kind === "added" ? "ins" : "del", {}, part) : part))));
  const remove = button(tr("dashboard-forget"), () => attempt(async () => {
    if (!(await confirmed(tr("forget-ask-this"), tr("dashboard-forget"), [h("p", { class: "hint" }, tr("forget-final"))],
      { bad: true }))) return null;
    const answer = await write("profile/forget", { id: version.id });
    redraw();
    return answer;
  }), { kind: "bad small" });
  return h("article", { class: "version card" },
    h("h3", {}, tr("memory-profile", { id: String(version.id), day: fullDate(version.created_at) })),
    h("div", { class: "prose" }, lines), h("div", { class: "actions" }, remove));
}
