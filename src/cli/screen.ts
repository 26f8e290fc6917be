/** Where a command writes, and what that place can show. */
export interface Screen {
  write(text: string): void
  /** Columns; unbounded where nobody looks, so that `grep` finds whole titles. */
  width: number
  paint(colour: Colour, text: string): string
}

const codes = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1, plain: 0 }
export type Colour = keyof typeof codes

export function screenOf(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Screen {
  const colours = output.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return {
    write: (text) => void output.write(text),
    width: output.isTTY ? output.columns || 80 : Number.POSITIVE_INFINITY,
    paint: (colour, text) => (colours && colour !== 'plain' ? `\x1b[${codes[colour]}m${text}\x1b[0m` : text),
  }
}
