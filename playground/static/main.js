// The page's entry: wires the modules together and starts the endless poll. Holds no rules of its own.

import { startChat } from "./chat.js";
import { replyTo, sendText, startComposer, startEdit } from "./composer.js";
import { startDialogs } from "./dialogs.js";
import { byId } from "./dom.js";
import { welcome } from "./guests.js";
import * as net from "./net.js";
import { startPanel } from "./panel.js";
import { startPresses } from "./presses.js";
import { adopt, apply, currentChat, emit, speakerIn, state } from "./state.js";
import { tr } from "./texts.js";
import { toast } from "./toast.js";
import { startThemes } from "./themes.js";
import { startViews } from "./views.js";
import { textOf } from "./words.js";

const press = startPresses();

startThemes();
startViews();
startDialogs();
startChat({
  command: (text) => sendText(text),
  press,
  async dislike(message) {
    const chat = currentChat();
    const reaction = message.reactions?.includes("👎") ? [] : ["👎"];
    try {
      await net.react({ person_id: speakerIn(chat).id, chat_id: chat.id, message_id: message.message_id, reaction });
    } catch (problem) { toast(problem.message, { bad: true }); }
  },
  reply: replyTo,
  edit: startEdit,
  copy: async (message) => { await navigator.clipboard?.writeText(textOf(message)); toast(tr("page-copied")); },
});
startComposer();
startPanel();

// Chat actions end by time, and "Today" becomes "Yesterday": the page looks at the clock once a second.
setInterval(() => emit("tick"), 1000);

net.follow({
  async onConnect() {
    const [about, snapshot] = await Promise.all([net.about(), net.snapshot()]);
    byId("banner-text").textContent = tr("page-banner", { model: about.model_name });
    state.connected = true;
    adopt(snapshot);
    emit("connection");
    document.body.classList.remove("offline");
    await welcome(about, snapshot.people);
    return snapshot.version;
  },
  onEvents: apply,
  onLost() {
    state.connected = false;
    document.body.classList.add("offline");
    emit("connection");
  },
});
