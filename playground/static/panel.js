// The memory next to the chat: the dashboard of whoever speaks, in a frame. It is told what happens in the chat and which
// colours the page has; everything else it does by itself.

import { byId, h } from "./dom.js";
import * as net from "./net.js";
import { currentChat, on, speakerIn, state, threadIn } from "./state.js";
import { tr } from "./texts.js";

// The page's colours by the names that Telegram gives to a Mini App.
const COLOURS = { bg_color: "--page", text_color: "--ink", hint_color: "--ink-2", link_color: "--accent", button_color: "--accent", button_text_color: "--accent-ink", secondary_bg_color: "--sunk", section_bg_color: "--raised" };

let shown = "";

export function startPanel() {
  for (const topic of ["all", "opened", "speaker"]) on(topic, show);
  on("all", () => tell({ changed: true }));
  on("changed", ({ chatId }) => { if (chatId === state.current) tell({ changed: true }); });
  new MutationObserver(() => tell({ theme: colours() })).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}

async function show() {
  const chat = currentChat();
  const person = chat && speakerIn(chat);
  if (!person) return;
  const scope = `${person.id}/${chat.id}/${threadIn(chat)}/${person.language_code}`;
  if (scope === shown) return;
  shown = scope;
  const panel = byId("panel");
  try {
    const { url } = await net.dashboard(person.id, chat.id, threadIn(chat));
    if (scope !== shown || !url) return;
    const theme = encodeURIComponent(JSON.stringify(colours()));
    panel.replaceChildren(h("iframe", { src: `${url}&tgWebAppThemeParams=${theme}`, title: tr("dashboard-memory") }));
  } catch (problem) {
    if (scope !== shown) return;
    if (!(problem instanceof net.Refused)) shown = ""; // the server comes back, and then this is asked again
    panel.replaceChildren(h("p", { class: "panel-empty" }, problem instanceof net.Refused ? problem.message : tr("errors-storage")));
  }
}

const tell = (what) => byId("panel").querySelector("iframe")?.contentWindow.postMessage(what, location.origin);

function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(Object.entries(COLOURS).map(([name, variable]) => [name, style.getPropertyValue(variable).trim()]));
}
