// Create elements. Data becomes text nodes and properties, never markup.

import { stripDirectionMarks } from "./language.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Create an element. `props` may have `class`, `data` (dataset), `on` (listeners) and `vars` (CSS variables). A name with a dash, or
 * one that the element does not know, becomes an attribute. The others become properties. Children are nodes, strings or null.
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
  element.append(...shown.map((child) => (child instanceof Node ? child : stripDirectionMarks(child))));
  return element;
}

/** Create an icon from a symbol in index.html. */
export function makeIcon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** @returns {any} the element with this id in index.html */
export const byId = (id) => document.getElementById(id);

/** Keep a CSS variable of the page at an element's height. base.css has the usual ones, since each change styles the page again. */
export function trackHeight(name, element) {
  const { documentElement: root } = document;
  const setHeight = (height) => { if (getComputedStyle(root).getPropertyValue(name) !== height) root.style.setProperty(name, height); };
  new ResizeObserver(() => setHeight(`${element.offsetHeight}px`)).observe(element);
}

/** Return a hue in degrees. Neighbouring numbers get distant hues (golden angle). */
export function pickHue(number) {
  return String(Math.round((Math.abs(Number(number) || 0) * 137.508 + 205) % 360));
}

/** Create a progress bar. `figures` is the progress in words. */
export function makeProgressBar(label, done, total, figures) {
  const share = total > 0 ? Math.min(100, Math.round((done / total) * 100)) : 0;
  return h("div", { class: "progress" },
    h("span", {}, label), h("span", {}, figures),
    h("div", { class: "track", role: "progressbar", "aria-label": label, "aria-valuemin": "0", "aria-valuemax": String(total),
      "aria-valuenow": String(Math.min(done, total)) },
      h("i", { vars: { "--share": `${share}%` } })));
}
