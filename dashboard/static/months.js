// Calculate with months. Pure functions.

/** Return the days of a month such as "2026-11" in weeks that begin on `first` (1 = Monday): [[null, …, "2026-11-01", …], …]. */
export function splitIntoWeeks(month, first = 1) {
  const begin = new Date(`${month}-01T00:00:00Z`);
  const [year, number] = month.split("-").map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const lead = (begin.getUTCDay() - first + 7) % 7;
  const days = [...Array(lead).fill(null), ...Array.from({ length: count },
    (_, index) => `${month}-${String(index + 1).padStart(2, "0")}`)];
  return Array.from({ length: Math.ceil(days.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => days[week * 7 + day] ?? null));
}

/** Return the month that is `step` months later. */
export function addMonths(month, step) {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + step, 1)).toISOString().slice(0, 7);
}
