// Before anything is drawn: Telegram's colours where it gives some, else light or dark as the system has it. No module,
// or the page would show another colour first.

(() => {
  const KEY = "keepsake.theme";
  const LEAST = 4.7; // contrast of words (WCAG 2, 1.4.3, has 4.5), with a little for tinted grounds
  const GROUNDS = { bg_color: "--page", secondary_bg_color: "--sunk", section_bg_color: "--raised" };
  const INKS = { text_color: "--ink", hint_color: "--hint", link_color: "--accent", accent_text_color: "--accent",
    destructive_text_color: "--bad" };
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const hex = (parts) => `#${parts.map((part) => Math.round(part * 255).toString(16).padStart(2, "0")).join("")}`;
  const luminance = (colour) => channels(colour).reduce((sum, part, at) =>
    sum + [0.2126, 0.7152, 0.0722][at] * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4), 0);
  const isDark = (colour) => luminance(colour) < 0.18;
  const contrast = (one, other) => { const [less, more] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (more + 0.05) / (less + 0.05); };

  /** A colour, moved towards black or white until it stands out from another: not all of Telegram's themes are legible. */
  function legible(colour, ground) {
    const end = isDark(ground) ? 1 : 0;
    let moved = colour;
    for (let share = 0.05; contrast(moved, ground) < LEAST && share <= 1;
    share += 0.05) moved = hex(channels(colour).map((part) => part + (end - part) * share));
    return moved;
  }

  function apply(given) {
    const colours = Object.fromEntries(Object.entries(given).filter(([, colour]) => /^#[0-9a-f]{6}$/i.test(colour)));
    const page = colours.bg_color;
    const grounds = Object.keys(GROUNDS).filter((name) => name in colours).map((name) => colours[name]);
    for (const [name, variable] of Object.entries(GROUNDS)) if (name in colours) root.style.setProperty(variable, colours[name]);
    for (const [name, variable] of Object.entries(INKS)) if (name in colours) root.style.setProperty(variable,
      grounds.reduce(legible, colours[name]));
    if (colours.button_color) {
      const ink = colours.button_text_color ?? "#ffffff";
      root.style.setProperty("--button-ink", ink);
      root.style.setProperty("--button", legible(colours.button_color, ink));
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
    // Nonsense in the address, or a private window that keeps nothing: the page's own colours.
  }
  apply(colours);
  system.addEventListener("change", () => apply(colours));
  // The playground's frame changes its colours while the page is open.
  addEventListener("message", (event) => { if (event.origin === location.origin && event.data?.theme) apply(colours = event.data.theme); });
})();
