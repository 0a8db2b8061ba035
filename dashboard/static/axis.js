// Summaries over an axis of time, as figures: which pieces a level has within a span, and where the dates stand. Pure.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STEPS = [HOUR, 6 * HOUR, DAY, 7 * DAY, 30.44 * DAY, 91.3 * DAY, 365.25 * DAY]; // between two dates
export const SHORTEST = HOUR; // the shortest span that is shown

/** @typedef {[number, number]} Span from one moment to another, in milliseconds */

/** From the first to the last moment, in milliseconds, with a little room.
 * @returns {Span}
 */
export function domainOf(summaries) {
  const first = Math.min(...summaries.map((one) => Date.parse(one.first_at)));
  const last = Math.max(...summaries.map((one) => Date.parse(one.last_at)));
  const room = Math.max((last - first) * 0.01, SHORTEST / 4);
  return [first - room, last + room];
}

/** A span within another, as wide as it may be.
 * @param {Span} span
 * @param {Span} whole
 * @returns {Span}
 */
export function clampSpan([from, to], [first, last]) {
  const width = Math.min(Math.max(to - from, SHORTEST), last - first);
  const begin = Math.min(Math.max(from, first), last - width);
  return [begin, begin + width];
}

/** The span narrowed or widened by a factor around a place in it (0 to 1).
 * @param {Span} span
 * @returns {Span}
 */
export function zoomSpan([from, to], factor, at = 0.5) {
  const middle = from + (to - from) * at;
  return [middle - (middle - from) / factor, middle + (to - middle) / factor];
}

/** The levels, highest first, each with its pieces within the span: what would be narrower than `least` of the width is
 * joined with its neighbours. A piece is {from, to, all: summaries} with from and to as shares of the width.
 */
export function levelsOf(summaries, [from, to], least) {
  const share = (moment) => (Date.parse(moment) - from) / (to - from);
  const levels = new Map();
  for (const one of [...summaries].sort((a, b) => a.first_at.localeCompare(b.first_at) || a.id - b.id)) {
    const piece = { from: share(one.first_at), to: share(one.last_at), all: [one] };
    if (!levels.has(one.level)) levels.set(one.level, []);
    if (piece.to < 0 || piece.from > 1) continue;
    const pieces = levels.get(one.level);
    const before = pieces.at(-1);
    const isNarrow = (wide) => wide.to - wide.from < least;
    if (before && piece.from < before.from + least && (isNarrow(before) || isNarrow(piece))) {
      before.to = Math.max(before.to, piece.to);
      before.all.push(one);
    } else pieces.push(piece);
  }
  return [...levels].sort(([a], [b]) => b - a).map(([level, pieces]) => ({ level, pieces }));
}

/** At most `most` moments within a span, evenly apart, and how far apart they are. */
export function ticksOf([from, to], most) {
  const step = STEPS.find((width) => (to - from) / width <= most) ?? (to - from) / most;
  const first = Math.ceil(from / step) * step;
  const ticks = [];
  for (let at = first; at <= to && ticks.length < most; at += step) ticks.push(at);
  return { step, ticks };
}

/** The ids of what a summary was made from and of what it became a part of, however far. */
export function kinOf(summaries, id) {
  const byId = new Map(summaries.map((one) => [one.id, one]));
  const kin = new Set();
  const below = (number) => { for (const source of byId.get(number)?.source_ids ?? []) if (!kin.has(source)) { kin.add(source);
  below(source); } };
  const above = (number) => { for (const one of summaries) if (one.source_ids.includes(number)
    && !kin.has(one.id)) { kin.add(one.id); above(one.id); } };
  below(id);
  above(id);
  return kin;
}
