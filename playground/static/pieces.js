// Cuts a long text as Telegram's clients do before sending. Pure.

const LIMIT = 4096; // UTF-16 units of one message

/** Pieces of at most `limit` units that make `text` again when joined; cut after a line break or a space where one is near. */
export function piecesOf(text, limit = LIMIT) {
  const pieces = [];
  let rest = text;
  while (rest.length > limit) {
    const at = cutPoint(rest, limit);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  if (rest) pieces.push(rest);
  return pieces;
}

function cutPoint(text, limit) {
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, limit - 1) + 1;
    if (at > limit / 2) return at;
  }
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit; // never between the halves of one character
}
