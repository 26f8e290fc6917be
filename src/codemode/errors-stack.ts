import type { LineMap, Place } from './strip/line-map.ts'

const mostFrames = 30

/** A frame of what QuickJS calls a stack: a function, and where it is. */
const frame = /^ *at (?:(.*) \()?code:(\d+):(\d+)\)?$/
/** Those of ours, and of the language itself. */
const foreign = /^ *at (?:.* \()?(?:guest:\d+:\d+|native)\)?$/
const placeWithin = /\(code:(\d+):(\d+)\)/g

/** A text that may have a stack in it: in the lines that were written, without what nobody wrote. */
export function inOwnLines(text: string, map: LineMap): string {
  if (!text.includes('code:')) return text
  const placed = (whole: string, line: string, column: string) => {
    const written = map.written({ line: Number(line), column: Number(column) })
    return written ? `(line ${written.line}:${written.column})` : whole
  }
  const lines = text.split('\n').filter((line) => !foreign.test(line))
  const own = lines.map((line) => {
    const [, name, at, column] = frame.exec(line) ?? []
    const written = at && map.written({ line: Number(at), column: Number(column) })
    return written ? frameOf(name, written) : line.replaceAll(placeWithin, placed)
  })
  return own.join('\n').trimEnd()
}

const frameOf = (name: string | undefined, { line, column }: Place): string =>
  `    at ${name && name !== '<anonymous>' ? `${name} ` : ''}line ${line}:${column}`

/** The frames that are the code's own, in its own lines, and the place of the uppermost. */
export function ownStack(stack: string, map: LineMap): { frames: string[]; place: Place | undefined } {
  const frames: string[] = []
  let place: Place | undefined
  for (const line of stack.split('\n')) {
    const [, name, at, column] = frame.exec(line) ?? []
    const written = at && map.written({ line: Number(at), column: Number(column) })
    if (!written) continue
    place ??= written
    frames.push(frameOf(name, written))
    if (frames.length === mostFrames) break
  }
  return { frames, place }
}
