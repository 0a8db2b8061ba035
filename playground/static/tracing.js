// Shows what belongs together: pointing at a summary lights up the messages that it covers and the summaries that it was
// made from; pointing at a message, the summaries that cover it. Knows only the data-* marks of blocks and bricks.

/** Marks: a block has data-chunk and data-message; a brick has data-chunks, data-family (ids, spaces between). */
export function startTracing(panel) {
  for (const kind of ["pointerover", "focusin"]) panel.addEventListener(kind, (event) => trace(panel, event.target));
  for (const kind of ["pointerleave", "focusout"]) panel.addEventListener(kind, () => trace(panel, null));
}

function trace(panel, target) {
  const from = target?.closest?.("[data-chunks], [data-chunk], [data-snippet]") ?? null;
  for (const lit of panel.querySelectorAll(".lit")) lit.classList.remove("lit");
  panel.classList.toggle("tracing", from !== null);
  if (from) for (const element of relatives(panel, from)) element.classList.add("lit");
}

function relatives(panel, from) {
  const blocks = [...panel.querySelectorAll("[data-message]")];
  const bricks = [...panel.querySelectorAll("[data-chunks]")];
  const chunksOf = (brick) => brick.dataset.chunks.split(" ").filter(Boolean);
  if (from.dataset.chunks !== undefined) {
    const chunks = new Set(chunksOf(from));
    const family = new Set(from.dataset.family.split(" "));
    return [...bricks.filter((brick) => family.has(brick.dataset.summary)), ...blocks.filter((block) => chunks.has(block.dataset.chunk))];
  }
  const origins = from.dataset.snippet !== undefined ? blocks.filter((block) => block.dataset.message === from.dataset.snippet) : [from];
  const chunk = origins[0]?.dataset.chunk;
  return [from, ...origins, ...bricks.filter((brick) => chunk && chunksOf(brick).includes(chunk))];
}
