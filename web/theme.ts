import { createStore } from './store.ts'

export const themes = ['system', 'dark', 'light'] as const
export type Theme = (typeof themes)[number]

const place = 'signalbox.theme'
const stored = localStorage.getItem(place)

export const theme = createStore<Theme>(themes.find((known) => known === stored) ?? 'system')

export function chooseTheme(chosen: Theme): void {
  theme.set(chosen)
  if (chosen === 'system') {
    localStorage.removeItem(place)
    delete document.documentElement.dataset['theme']
  } else {
    localStorage.setItem(place, chosen)
    document.documentElement.dataset['theme'] = chosen
  }
}
