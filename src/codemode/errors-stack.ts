import type { LineMap, Place } from './strip/line-map.ts'

const mostFrames = 30

/** The frames that are the code's own, in its own lines, and the place of the uppermost. */
export function ownStack(stack: string, map: LineMap): { frames: string[]; place: Place | undefined } {
  const frames: string[] = []
  let place: Place | undefined
  for (const line of stack.split('\n')) {
    const [, name = '', at, column] = /^ *at (?:(.*) \()?code:(\d+):(\d+)\)?$/.exec(line) ?? []
    const written = at && map.written({ line: Number(at), column: Number(column) })
    if (!written) continue
    place ??= written
    const isNamed = name !== '' && name !== '<anonymous>'
    frames.push(`    at ${isNamed ? `${name} ` : ''}line ${written.line}:${written.column}`)
    if (frames.length === mostFrames) break
  }
  return { frames, place }
}
