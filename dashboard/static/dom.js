// Building elements. Owns the one way in which data becomes page: text nodes and properties, never markup.
// Knows no texts and no server, so that any page may use it.

import { tame } from "./language.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `props`: `class`, `data` (dataset), `on` (listeners), `vars` (CSS variables); anything with a dash or
 * unknown to the element is an attribute, the rest are properties. Children: nodes, strings, or null to leave out.
 * @param {string} tag
 * @param {Record<string, any>} props
 * @param {...any} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  const element = /** @type {any} */ (document.createElement(tag));
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "on") for (const [kind, listener] of Object.entries(value)) element.addEventListener(kind, listener);
    else if (name === "vars") for (const [key, css] of Object.entries(value)) element.style.setProperty(key, css);
    else if (name.includes("-") || name === "list" || !(name in element)) element.setAttribute(name, value);
    else if (name === "value" && element.defaultValue !== undefined) element.defaultValue = value; // what is typed differs from it
    else element[name] = value;
  }
  const shown = children.flat(2).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
  element.append(...shown.map((child) => (child instanceof Node ? child : tame(child))));
  return element;
}

/** One of the symbols of index.html. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** @returns {any} the element of index.html with this id */
export const byId = (id) => document.getElementById(id);

/** Degrees on the colour wheel, far apart for neighbouring numbers (golden angle). */
export function hueOf(number) {
  return String(Math.round((Math.abs(Number(number) || 0) * 137.508 + 205) % 360));
}

/** So many of so many as a track, and in the words given. */
export function progress(what, done, total, told) {
  const share = total > 0 ? Math.min(100, Math.round((done / total) * 100)) : 0;
  return h("div", { class: "progress" },
    h("span", {}, what), h("span", {}, told),
    h("div", { class: "track", role: "progressbar", "aria-label": what, "aria-valuemin": "0", "aria-valuemax": String(total),
      "aria-valuenow": String(Math.min(done, total)) },
      h("i", { vars: { "--share": `${share}%` } })));
}
