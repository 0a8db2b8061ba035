// Texts, numbers and dates in one language, as the server has made them from the files in which the bot's own stand. The
// pages of the dashboard and of the playground speak through it; it knows no server and no text by name.

/** What somebody wrote, without the signs that turn the words after it around: they reach past its end. */
export const tame = (text) => String(text).replace(/[\u202a-\u202e]/g, "");

/** What a page says itself with, of an answer of api/texts; the document's language and its marked elements follow it. */
export function speaking({ language, right_to_left: isRightToLeft, texts }) {
  const locale = `${language}-u-nu-latn`; // the digits that the bot writes
  const plural = new Intl.PluralRules(locale);
  const number = new Intl.NumberFormat(locale);

  // A pattern is a text, or a list of texts, {argument} and {argument, cases}.
  const shown = (pattern, given) => (typeof pattern === "string" ? pattern : pattern.map((part) => {
    if (typeof part === "string") return part;
    const value = given[part.argument];
    const written = part.cases ? shown(part.cases[plural.select(value)] ?? part.cases[part.other], given)
      : typeof value === "number" ? counted(value) : tame(value);
    // What is put in may run the other way than the sentence around it.
    return isRightToLeft && pattern.length > 1 ? `\u2068${written}\u2069` : written;
  }).join(""));

  const counted = (value) => number.format(value);
  const manner = (Kind, options) => new Kind(locale, options);
  const has = (key) => key in texts;
  const tr = (key, given = {}) => {
    if (!has(key)) throw new Error(`There is no text ${key}.`);
    return shown(texts[key], given);
  };
  const sizeOf = (bytes) => {
    if (!Number.isFinite(bytes)) return "";
    const [size, unit] = bytes < 1000 ? [bytes, "byte"] : bytes < 1_000_000 ? [bytes / 1000, "kilobyte"] : [bytes / 1_000_000, "megabyte"];
    return manner(Intl.NumberFormat, { style: "unit", unit, maximumFractionDigits: 1 }).format(size);
  };

  document.documentElement.lang = language;
  document.documentElement.dir = isRightToLeft ? "rtl" : "ltr";
  const marked = (attribute) => /** @type {HTMLElement[]} */ ([...document.querySelectorAll(`[${attribute}]`)]);
  for (const element of marked("data-text")) element.textContent = tr(element.dataset.text);
  for (const element of marked("data-label")) {
    element.setAttribute("aria-label", tr(element.dataset.label));
    if (element.matches("button")) element.title = tr(element.dataset.label);
  }
  return {
    /** A text with its arguments; numbers are written in the language's manner and choose the plural. */
    tr,
    /** Whether there is such a text: names that the server sends may be newer than the page. */
    has,
    /** A number in the manner of the language. */
    counted,
    /** A formatter of dates, numbers or lists in the manner of the language. */
    manner,
    /** Bytes as people read them. */
    sizeOf,
  };
}
