// Before anything is drawn: light or dark, as chosen in an earlier visit, else as the system has it. No module, or the
// page would show the other one first.

(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  window.keepsakeTheme = (choice) => {
    const dark = choice === "dark" || (choice !== "light" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  };
  let choice;
  try {
    choice = JSON.parse(localStorage.getItem("keepsake.playground") ?? "{}").theme;
  } catch {
    // A private window may refuse: then as the system has it.
  }
  window.keepsakeTheme(choice);
})();
