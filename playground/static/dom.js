// Building elements. Owns the one way in which data becomes page: text nodes and properties, never markup.
// Does not know what is shown.

import { manner, tr } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `props`: `class`, `data` (dataset), `on` (listeners), `vars` (CSS variables); anything with a dash or
 * unknown to the element is an attribute, the rest are properties. Children: nodes, strings, or null to leave out.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "on") for (const [kind, listener] of Object.entries(value)) element.addEventListener(kind, listener);
    else if (name === "vars") for (const [key, css] of Object.entries(value)) element.style.setProperty(key, css);
    else if (name.includes("-") || !(name in element)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
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

export const byId = (id) => document.getElementById(id);

/** A round picture of initials; its hue follows the id, so that a person keeps one colour everywhere. */
export function avatar(id, name, { bot = false } = {}) {
  if (bot) return h("span", { class: "avatar bot", "aria-hidden": "true" }, icon("memory"));
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = words.slice(0, 2).map((word) => [...word][0]).join("").toUpperCase() || "?";
  return h("span", { class: "avatar", "aria-hidden": "true", vars: { "--hue": hueOf(id) } }, letters);
}

/** Degrees on the colour wheel, far apart for neighbouring numbers (golden angle). */
export function hueOf(number) {
  return String(Math.round((Math.abs(Number(number) || 0) * 137.508 + 205) % 360));
}

const CLOCK = manner(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = manner(Intl.DateTimeFormat, { month: "long", day: "numeric" });
const DAY_YEAR = manner(Intl.DateTimeFormat, { month: "long", day: "numeric", year: "numeric" });
const FULL = manner(Intl.DateTimeFormat, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

export const clockOf = (date) => CLOCK.format(date);
export const fullDate = (date) => FULL.format(date);

/** "Today", "Yesterday", "May 4", or with its year when that is another one. */
export function dayOf(date, now = new Date()) {
  const days = daysAgo(date, now);
  return days === 0 ? tr("page-today") : days === 1 ? tr("page-yesterday") : dateOf(date, now);
}

export const isToday = (date) => daysAgo(date, new Date()) === 0;

/** "May 4", or with its year when that is another one. */
function dateOf(date, now = new Date()) {
  return (date.getFullYear() === now.getFullYear() ? DAY : DAY_YEAR).format(date);
}

const daysAgo = (date, now) => Math.round((startOfDay(now) - startOfDay(date)) / 86_400_000);

function startOfDay(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate());
}

/** Bytes as people read them. */
export function sizeOf(bytes) {
  if (!Number.isFinite(bytes)) return "";
  const [size, unit] = bytes < 1000 ? [bytes, "byte"] : bytes < 1_000_000 ? [bytes / 1000, "kilobyte"] : [bytes / 1_000_000, "megabyte"];
  return manner(Intl.NumberFormat, { style: "unit", unit, maximumFractionDigits: 1 }).format(size);
}
