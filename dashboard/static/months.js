// Months of days, as figures. Pure.

/** The days of a month "2026-11" in weeks that begin on `first` (1 = Monday): [[null, …, "2026-11-01", …], …]. */
export function weeksOf(month, first = 1) {
  const begin = new Date(`${month}-01T00:00:00Z`);
  const [year, number] = month.split("-").map(Number);
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const lead = (begin.getUTCDay() - first + 7) % 7;
  const days = [...Array(lead).fill(null), ...Array.from({ length: count },
    (_, index) => `${month}-${String(index + 1).padStart(2, "0")}`)];
  return Array.from({ length: Math.ceil(days.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => days[week * 7 + day] ?? null));
}

/** The month so many months later. */
export function monthAfter(month, step) {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + step, 1)).toISOString().slice(0, 7);
}
