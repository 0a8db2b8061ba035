// Before anything is drawn: Telegram's colours where it gives some, else light or dark as the system has it. No module,
// or the page would show another colour first.

(() => {
  const KEY = "keepsake.theme";
  const COLOURS = {
    bg_color: "--page", text_color: "--ink", hint_color: "--hint", link_color: "--accent", accent_text_color: "--accent", button_color: "--button",
    button_text_color: "--button-ink", secondary_bg_color: "--sunk", section_bg_color: "--raised", destructive_text_color: "--bad",
  };
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const light = (colour) => [1, 3, 5].reduce((sum, at) => sum + parseInt(colour.slice(at, at + 2), 16), 0) > 382;

  const apply = (colours) => {
    for (const [name, variable] of Object.entries(COLOURS)) if (/^#[0-9a-f]{6}$/i.test(colours[name] ?? "")) root.style.setProperty(variable, colours[name]);
    const page = root.style.getPropertyValue("--page");
    root.dataset.theme = (page ? !light(page) : system.matches) ? "dark" : "light";
    root.classList.toggle("telegram", Boolean(page));
  };

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
