// Pressed inline buttons: busy until the bot answers the callback, then its toast or alert.

import * as net from "./net.js";
import { currentChat, on, speakerIn } from "./state.js";
import { tr } from "./texts.js";
import { alertBox, toast } from "./toast.js";

const PATIENCE = 15_000; // milliseconds after which a button stops looking busy, as in Telegram's clients

/** Returns press(message, button, element). */
export function startPresses() {
  const waiting = new Map(); // callback id → the pressed button
  const early = new Set(); // answers that arrived before their own press was confirmed

  on("answer", (event) => {
    const id = String(event.query_id);
    if (waiting.has(id)) release(waiting, id);
    else early.add(id);
    if (event.text) (event.show_alert ? alertBox : toast)(event.text);
  });

  return async function press(message, button, element) {
    if (button.copy_text) {
      await navigator.clipboard?.writeText(button.copy_text.text);
      return toast(tr("page-copied"));
    }
    if (element.getAttribute("aria-busy") === "true") return undefined;
    element.setAttribute("aria-busy", "true");
    try {
      const chat = currentChat();
      const answer = await net.press({ person_id: speakerIn(chat).id, chat_id: chat.id, message_id: message.message_id, data: button.callback_data });
      const id = String(answer.query_id);
      if (early.delete(id)) return element.removeAttribute("aria-busy");
      waiting.set(id, element);
      return setTimeout(() => release(waiting, id), PATIENCE);
    } catch (problem) {
      element.removeAttribute("aria-busy");
      return toast(problem instanceof net.Refused ? problem.message : tr("shared-failed"), { bad: true });
    }
  };
}

function release(waiting, id) {
  waiting.get(id)?.removeAttribute("aria-busy");
  waiting.delete(id);
}
