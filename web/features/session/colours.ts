import type { CSSProperties } from 'react'
import { paletteColour } from './style.ts'
import type { Colour, Style } from './style.ts'

/** Of the sixteen, the theme has its own: they are there to be read on its ground. */
const own = ['text', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'soft']
const isOwn = (colour: Colour): colour is number => typeof colour === 'number' && colour < 16

/** The colours of a piece of text, such that it can be read in either theme. */
export function coloursOf({ front, back, inverse }: Style): CSSProperties | undefined {
  if (inverse)
    return { color: inkOn(front, back), backgroundColor: front === undefined ? 'var(--text)' : css(front) }
  if (back !== undefined) return { color: inkOn(back, front), backgroundColor: css(back) }
  return front === undefined ? undefined : { color: isOwn(front) ? css(front) : readable(css(front)) }
}

/** On a ground of the theme the theme's own paper is the ink; on any other what was asked for, as it was meant. */
function inkOn(ground: Colour | undefined, ink: Colour | undefined): string {
  if (ground === undefined || isOwn(ground)) return 'var(--panel)'
  if (ink === undefined) return readableOn(css(ground))
  return isOwn(ink) ? readableOn(css(ground)) : css(ink)
}

const css = (colour: Colour): string => {
  if (isOwn(colour)) return `var(--${own[colour % 8]})`
  return String(typeof colour === 'number' ? paletteColour(colour) : colour)
}

/** Any other colour was chosen for somebody else’s ground: it keeps its hue, and gets light or dark enough for ours. */
const readable = (colour: string) =>
  `light-dark(oklch(from ${colour} min(l, 0.55) c h), oklch(from ${colour} max(l, 0.7) c h))`

/** Black on what is light, white on what is dark. */
const readableOn = (ground: string) => `oklch(from ${ground} clamp(0, (0.65 - l) * 1000, 1) 0 0)`
