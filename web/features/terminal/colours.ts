import type { ITheme } from '@xterm/xterm'

const plain = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const

/** Our colours as xterm.js wants them: numbers, for the theme that is shown now. */
export function terminalColours(place: HTMLElement): ITheme {
  const probe = place.appendChild(document.createElement('span'))
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const isDark = getComputedStyle(probe).colorScheme === 'dark' || lightness(colour('panel')) < 128
  const fade = (name: string, part: number) =>
    colour(name).replace(/^rgb\((.*)\)$/, (_, parts: string) => `rgba(${parts}, ${part})`)
  const own = Object.fromEntries(
    plain.flatMap((name) => [
      [name, colour(name)],
      [`bright${name[0]?.toUpperCase()}${name.slice(1)}`, colour(name)],
    ]),
  )
  const theme: ITheme = {
    ...own,
    background: colour('panel'),
    foreground: colour('text'),
    cursor: colour('text'),
    cursorAccent: colour('panel'),
    selectionBackground: fade('queue', 0.35),
    selectionInactiveBackground: fade('queue', 0.2),
    black: colour(isDark ? 'raise' : 'text'),
    brightBlack: colour('mute'),
    white: colour(isDark ? 'soft' : 'edge'),
    brightWhite: colour(isDark ? 'text' : 'panel'),
    scrollbarSliderBackground: fade('edge', 0.6),
    scrollbarSliderHoverBackground: colour('edge'),
    scrollbarSliderActiveBackground: colour('control'),
    overviewRulerBorder: 'rgba(0, 0, 0, 0)',
  }
  probe.remove()
  return theme
}

/** The colours that mark what a search found. */
export function findColours(place: HTMLElement) {
  const { background = '', foreground = '', blue = '' } = terminalColours(place)
  return {
    matchBackground: between(background, blue, 0.3),
    matchOverviewRuler: between(background, blue, 0.6),
    activeMatchBackground: between(background, blue, 0.6),
    activeMatchBorder: between(foreground, foreground, 1),
    activeMatchColorOverviewRuler: between(foreground, foreground, 1),
  }
}

const channels = (colour: string) => colour.match(/\d+/g)?.slice(0, 3).map(Number) ?? []
const lightness = (colour: string) => channels(colour).reduce((sum, channel) => sum + channel, 0) / 3

/** The only notation that marks understand. */
function between(one: string, other: string, part: number): string {
  const to = channels(other)
  const mixed = channels(one).map((from, index) => Math.round(from + ((to[index] ?? from) - from) * part))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
