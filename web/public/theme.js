// Runs before the first paint, so that the page never shows the other theme for a moment. theme.ts does the rest.
try {
  const chosen = localStorage.getItem('signalbox.theme')
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen
} catch {
  // Storage is switched off: the system's theme applies.
}
