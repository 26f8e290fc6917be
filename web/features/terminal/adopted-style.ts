/**
 * What xterm.js gets in the place of a `<style>` element (see vite.config.ts): the content security policy forbids those, but
 * not a style sheet that a script makes.
 */
export function adoptedStyle(): HTMLElement {
  const sheet = new CSSStyleSheet()
  document.adoptedStyleSheets.push(sheet)
  const element = document.createElement('span')
  element.hidden = true
  Object.defineProperty(element, 'textContent', {
    set(css: string) {
      sheet.replaceSync(css)
    },
  })
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet)
    HTMLElement.prototype.remove.call(element)
  }
  return element
}

/** Styles that come with a part of the page, and stay. */
export function adoptStyles(css: string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
}
