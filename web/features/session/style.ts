/** A colour of the terminal's palette (0–255), or any other as the style sheet writes it. */
export type Colour = number | `rgb(${string})`

/** How text looks, by the codes that programs write (SGR). */
export interface Style {
  readonly front?: Colour
  readonly back?: Colour
  readonly bold?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
  readonly inverse?: true
  readonly hidden?: true
  readonly strike?: true
}

export const plain: Style = {}

const on: Record<number, Style> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  8: { hidden: true },
  9: { strike: true },
  21: { underline: true },
}
const off: Record<number, (keyof Style)[]> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  28: ['hidden'],
  29: ['strike'],
  39: ['front'],
  49: ['back'],
}

/** The style after a sequence `ESC [ parameters m`. What is not known changes nothing. */
export function applySgr(before: Style, parameters: string): Style {
  if (/[^\d;:]/.test(parameters)) return before
  // Colours are written with semicolons, or as one parameter with colons, then with a colour space that we skip.
  const codes = parameters
    .replace(/([34]8):2:\d*:(\d+:\d+:\d+)/g, '$1:2:$2')
    .split(/[;:]/)
    .map(Number)
  let style = before
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) {
      const [colour, taken] = extended(codes, at + 1)
      at += taken
      style = coloured(style, code === 38 ? 'front' : 'back', colour)
    } else style = applyCode(style, code)
  }
  return style
}

const coloured = (style: Style, where: 'front' | 'back', colour: Colour | undefined): Style =>
  colour === undefined ? style : { ...style, [where]: colour }

function applyCode(style: Style, code: number): Style {
  if (code === 0) return plain
  if (on[code]) return { ...style, ...on[code] }
  if (off[code]) return without(style, off[code])
  if (code >= 30 && code <= 37) return { ...style, front: code - 30 }
  if (code >= 90 && code <= 97) return { ...style, front: code - 82 }
  if (code >= 40 && code <= 47) return { ...style, back: code - 40 }
  if (code >= 100 && code <= 107) return { ...style, back: code - 92 }
  return style
}

function without(style: Style, names: (keyof Style)[]): Style {
  const left = { ...style }
  for (const name of names) delete left[name]
  return left
}

const isByte = (value: number | undefined): value is number => value !== undefined && value <= 255

function extended(codes: number[], at: number): [colour: Colour | undefined, taken: number] {
  const [kind, first, second, third] = codes.slice(at, at + 4)
  if (kind === 5) return [isByte(first) ? first : undefined, 2]
  if (kind !== 2) return [undefined, 1]
  const isWhole = isByte(first) && isByte(second) && isByte(third)
  return [isWhole ? `rgb(${first} ${second} ${third})` : undefined, 4]
}

const steps = [0, 95, 135, 175, 215, 255]

/** Beyond the sixteen that the theme has its own for: a cube of colours, and a ramp of greys. */
export function paletteColour(index: number): Colour {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10
    return `rgb(${grey} ${grey} ${grey})`
  }
  const at = index - 16
  const [red, green, blue] = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => steps[step])
  return `rgb(${red} ${green} ${blue})`
}
