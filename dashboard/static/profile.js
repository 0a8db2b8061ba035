// The profile page: the newest version, and its differences from an earlier one.

import { h } from "./dom.js";
import { read, write } from "./memory.js";
import { attempt, makeButton, makeSelect, askToConfirm, makeEmptyNote, requestRedraw } from "./parts.js";
import { formatFullDate, tr } from "./texts.js";

let compared = null; // id of the earlier version that stands next to the newest

export const profile = {
  async draw(root) {
    const { versions } = await read("profile");
    const refresh = makeButton(tr("memory-button-rewrite"), (pressed) =>
      attempt(async () => { await write("profile/refresh"); requestRedraw(); }, pressed), { symbol: "again" });
    root.append(h("p", { class: "hint" }, tr("dashboard-profile-about")), h("div", { class: "actions" }, refresh));
    if (!versions.length) return root.append(makeEmptyNote(tr("memory-no-profile")));
    const place = h("div", { class: "versions" });
    const [newest, ...earlier] = versions;
    const showVersions = () => {
      const other = earlier.find((version) => version.id === compared) ?? null;
      place.classList.toggle("two", Boolean(other));
      place.replaceChildren(makeVersion(newest, other, "added"), ...(other ? [makeVersion(other, newest, "gone")] : []));
    };
    if (earlier.length) {
      const names = [["", "–"], ...earlier.map((version) => [version.id, formatFullDate(version.created_at)])];
      root.append(h("label", { class: "field inline" }, h("span", {}, tr("dashboard-profile-compare")),
        makeSelect(names, compared ?? "", (id) => { compared = Number(id) || null; showVersions(); })));
    }
    showVersions();
    return root.append(place);
  },
};

const splitSentences = (text) => text.split(/(?<=[.!?。！？؟]\s)|\n/u).filter((part) => part.trim());

function makeVersion(version, other, kind) {
  const known = new Set(other ? splitSentences(other.text).map((part) => part.trim()) : []);
  const lines = version.text.split("\n").map((line) => h("p", { dir: "auto" },
    splitSentences(line).map((part) => (other && !known.has(part.trim()) ? h(kind === "added" ? "ins" : "del", {}, part) : part))));
  const remove = makeButton(tr("dashboard-forget"), () => attempt(async () => {
    if (!(await askToConfirm(tr("forget-ask-this"), tr("dashboard-forget"), [h("p", { class: "hint" }, tr("forget-final"))],
      { bad: true }))) return null;
    const answer = await write("profile/forget", { id: version.id });
    requestRedraw();
    return answer;
  }), { kind: "bad small" });
  return h("article", { class: "version card" },
    h("h3", {}, tr("memory-profile", { id: String(version.id), day: formatFullDate(version.created_at) })),
    h("div", { class: "prose" }, lines), h("div", { class: "actions" }, remove));
}
