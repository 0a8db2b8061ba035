// Format texts, numbers and dates in one language. The dashboard and the playground share this module.

/** Remove marks that change the direction of the text that follows, beyond the end of this one. */
export const stripDirectionMarks = (text) => String(text).replace(/[\u202a-\u202e]/g, "");

/** Return formatters for a response of api/texts. Also set the document's language and the texts of its marked elements. */
export function makeFormatters({ language, right_to_left: isRightToLeft, texts }) {
  const locale = `${language}-u-nu-latn`; // the digits that the bot writes
  /** Return a formatter that is made when it is first used, because the first of a kind takes a slow phone 50 milliseconds. */
  const makeFormatter = (Kind, options) => {
    let formatter = null;
    const get = () => formatter ??= new Kind(locale, options);
    return { format: (value) => get().format(value), formatRange: (first, last) => get().formatRange(first, last),
      select: (value) => get().select(value) };
  };
  const plural = makeFormatter(Intl.PluralRules);
  const number = makeFormatter(Intl.NumberFormat);

  // A pattern is a string, or a list of strings, {argument} and {argument, cases, other}.
  const formatPattern = (pattern, given) => (typeof pattern === "string" ? pattern : pattern.map((part) => {
    if (typeof part === "string") return part;
    const value = given[part.argument];
    const written = part.cases ? formatPattern(part.cases[plural.select(value)] ?? part.cases[part.other], given)
      : typeof value === "number" ? formatNumber(value) : stripDirectionMarks(value);
    // An argument may have another direction than the sentence.
    return isRightToLeft && pattern.length > 1 ? `\u2068${written}\u2069` : written;
  }).join(""));

  const formatNumber = (value) => number.format(value);
  const hasText = (key) => key in texts;
  const tr = (key, given = {}) => {
    if (!hasText(key)) throw new Error(`There is no text ${key}.`);
    return formatPattern(texts[key], given);
  };
  const formatSize = (bytes) => {
    if (!Number.isFinite(bytes)) return "";
    const [size, unit] = bytes < 1000 ? [bytes, "byte"] : bytes < 1_000_000 ? [bytes / 1000, "kilobyte"] : [bytes / 1_000_000, "megabyte"];
    return makeFormatter(Intl.NumberFormat, { style: "unit", unit, maximumFractionDigits: 1 }).format(size);
  };

  document.documentElement.lang = language;
  document.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
  const findMarked = (attribute) => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(`[${attribute}]`)]);
  for (const element of findMarked("data-text")) element.textContent = tr(element.dataset.text);
  for (const element of findMarked("data-label")) {
    element.setAttribute("aria-label", tr(element.dataset.label));
    if (element.matches("button")) element.title = tr(element.dataset.label);
  }
  return {
    /** A text with its arguments; numbers are written in the language's manner and choose the plural. */
    tr,
    /** Whether there is such a text: names that the server sends may be newer than the page. */
    hasText,
    /** A number in the manner of the language. */
    formatNumber,
    /** A formatter of dates, numbers or lists in the manner of the language. */
    makeFormatter,
    /** Bytes as people read them. */
    formatSize,
  };
}
