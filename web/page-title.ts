import { strings } from './strings/page.ts'

let page = ''
let waiting = 0

/** What the tab is called: the room, and before it how much waits for a person. */
export function namePage(name: string): void {
  page = name
  show()
}

export function tellWaiting(amount: number): void {
  if (amount === waiting) return
  waiting = amount
  show()
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  icon?.setAttribute('href', amount > 0 ? '/favicon-waits.svg' : '/favicon.svg')
}

function show(): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${page} · ${strings.product}`
}
