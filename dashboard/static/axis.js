// Place summaries and dates on a time axis. Pure functions.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STEPS = [HOUR, 6 * HOUR, DAY, 7 * DAY, 30.44 * DAY, 91.3 * DAY, 365.25 * DAY]; // between two dates
export const SHORTEST = HOUR; // the shortest span that is shown

/** @typedef {[number, number]} Span from one moment to another, in milliseconds */

/** Return the span of all summaries, with a little space at both ends.
 * @returns {Span}
 */
export function findDomain(summaries) {
  const first = Math.min(...summaries.map((summary) => Date.parse(summary.first_at)));
  const last = Math.max(...summaries.map((summary) => Date.parse(summary.last_at)));
  const room = Math.max((last - first) * 0.01, SHORTEST / 4);
  return [first - room, last + room];
}

/** Move and resize a span so that it lies within another one.
 * @param {Span} span
 * @param {Span} whole
 * @returns {Span}
 */
export function clampSpan([from, to], [first, last]) {
  const width = Math.min(Math.max(to - from, SHORTEST), last - first);
  const begin = Math.min(Math.max(from, first), last - width);
  return [begin, begin + width];
}

/** Return a span zoomed in by a factor around a point in it (0 to 1).
 * @param {Span} span
 * @returns {Span}
 */
export function zoomSpan([from, to], factor, at = 0.5) {
  const middle = from + (to - from) * at;
  return [middle - (middle - from) / factor, middle + (to - middle) / factor];
}

/** Return the levels, highest first, with their pieces in the span. Pieces narrower than `least` are joined with their neighbours.
 * A piece is {from, to, all: summaries}. `least`, `from` and `to` are fractions of the width.
 */
export function groupByLevel(summaries, [from, to], least) {
  const toShare = (moment) => (Date.parse(moment) - from) / (to - from);
  const levels = new Map();
  for (const summary of [...summaries].sort((a, b) => a.first_at.localeCompare(b.first_at) || a.id - b.id)) {
    const piece = { from: toShare(summary.first_at), to: toShare(summary.last_at), all: [summary] };
    if (!levels.has(summary.level)) levels.set(summary.level, []);
    if (piece.to < 0 || piece.from > 1) continue;
    const pieces = levels.get(summary.level);
    const before = pieces.at(-1);
    const isNarrow = (other) => other.to - other.from < least;
    if (before && piece.from < before.from + least && (isNarrow(before) || isNarrow(piece))) {
      before.to = Math.max(before.to, piece.to);
      before.all.push(summary);
    } else pieces.push(piece);
  }
  return [...levels].sort(([a], [b]) => b - a).map(([level, pieces]) => ({ level, pieces }));
}

/** Return at most `most` evenly spaced moments in a span, and the distance between them in milliseconds. */
export function makeTicks([from, to], most) {
  const step = STEPS.find((width) => (to - from) / width <= most) ?? (to - from) / most;
  const first = Math.ceil(from / step) * step;
  const ticks = [];
  for (let at = first; at <= to && ticks.length < most; at += step) ticks.push(at);
  return { step, ticks };
}

/** Return the ids of all direct and indirect sources of a summary, and of all summaries made from it. */
export function findRelatives(summaries, id) {
  const byId = new Map(summaries.map((summary) => [summary.id, summary]));
  const kin = new Set();
  const addSources = (number) => {
    for (const source of byId.get(number)?.source_ids ?? []) if (!kin.has(source)) { kin.add(source); addSources(source); }
  };
  const addParents = (number) => {
    for (const parent of summaries) if (parent.source_ids.includes(number) && !kin.has(parent.id)) { kin.add(parent.id); addParents(parent.id); }
  };
  addSources(id);
  addParents(id);
  return kin;
}
