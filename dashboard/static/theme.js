// Apply Telegram's colours, or the system's light or dark theme. This is not a module, because modules run after the first paint.

(() => {
  const KEY = "keepsake.theme";
  const LEAST = 4.7; // contrast of text; WCAG 2, 1.4.3, demands 4.5, and tinted backgrounds take a little
  const GROUNDS = { bg_color: "--page", secondary_bg_color: "--sunk", section_bg_color: "--raised" };
  const INKS = { text_color: "--ink", hint_color: "--hint", link_color: "--accent", accent_text_color: "--accent",
    destructive_text_color: "--bad" };
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  const parseChannels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const formatHex = (parts) => `#${parts.map((part) => Math.round(part * 255).toString(16).padStart(2, "0")).join("")}`;
  const computeLuminance = (colour) => parseChannels(colour).reduce((sum, part, at) =>
    sum + [0.2126, 0.7152, 0.0722][at] * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4), 0);
  const isDark = (colour) => computeLuminance(colour) < 0.18;
  const computeContrast = (first, second) => { const [less, more] = [computeLuminance(first), computeLuminance(second)].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05); };

  /** Move a colour towards black or white until it is legible on a background. Some of Telegram's themes are not. */
  function makeLegible(colour, ground) {
    const end = isDark(ground) ? 1 : 0;
    let moved = colour;
    for (let share = 0.05; computeContrast(moved, ground) < LEAST && share <= 1;
    share += 0.05) moved = formatHex(parseChannels(colour).map((part) => part + (end - part) * share));
    return moved;
  }

  function applyColours(given) {
    const colours = Object.fromEntries(Object.entries(given).filter(([, colour]) => /^#[0-9a-f]{6}$/i.test(colour)));
    const page = colours.bg_color;
    const grounds = Object.keys(GROUNDS).filter((name) => name in colours).map((name) => colours[name]);
    for (const [name, variable] of Object.entries(GROUNDS)) if (name in colours) root.style.setProperty(variable, colours[name]);
    for (const [name, variable] of Object.entries(INKS)) if (name in colours) root.style.setProperty(variable,
      grounds.reduce(makeLegible, colours[name]));
    if (colours.button_color) {
      const ink = colours.button_text_color ?? "#ffffff";
      root.style.setProperty("--button-ink", ink);
      root.style.setProperty("--button", makeLegible(colours.button_color, ink));
    }
    root.dataset.theme = (page ? isDark(page) : system.matches) ? "dark" : "light";
    root.classList.toggle("telegram", Boolean(page));
  }

  let colours = {};
  try {
    const given = new URLSearchParams(location.hash.slice(1)).get("tgWebAppThemeParams");
    if (given) sessionStorage.setItem(KEY, given);
    colours = JSON.parse(given ?? sessionStorage.getItem(KEY) ?? "{}") ?? {};
  } catch {
    // The URL has invalid colours, or a private window has no storage. The page's own colours remain.
  }
  applyColours(colours);
  system.addEventListener("change", () => applyColours(colours));
  // The playground changes the colours while the page is open.
  addEventListener("message", (event) => { if (event.origin === location.origin && event.data?.theme) applyColours(colours = event.data.theme); });
})();
