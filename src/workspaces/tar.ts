import { inertLine } from '#lib/inert-text.ts'

export const tarEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8' }

const mostTold = 20

/** What tar complained about: what can be lived with, and what cannot. */
export function complaintsOf(stderr: string): { remarks: string[]; failures: string[] } {
  const lines = stderr
    .split('\n')
    .map((line) => inertLine(line.replace(/^tar: /, '')).trim())
    .filter(
      (line) =>
        line !== '' &&
        !/^(?:Exiting with failure status|Removing leading|Error is not recoverable)/.test(line),
    )
  const remarks: string[] = []
  const failures: string[] = []
  for (const line of lines) {
    const remark = remarkOf(line)
    if (remark) remarks.push(remark)
    else failures.push(line)
  }
  const more = remarks.length > mostTold ? [`and ${remarks.length - mostTold} more.`] : []
  return { remarks: [...remarks.slice(0, mostTold), ...more], failures }
}

const known: [RegExp, string][] = [
  [/^(.*): Cannot mknod: /, 'is a device, and was left out.'],
  [/^(.*): socket ignored$/, 'is a socket, and was left out.'],
  [/^(.*): file is on a different filesystem; not dumped$/, 'is on another disk, and was left out.'],
  [/^(.*): File shrank by \d+ bytes; padding with zeros$/, 'became shorter while it was read.'],
  [/^(.*): file changed as we read it$/, 'changed while it was read.'],
  [/^(.*): File removed before we read it$/, 'vanished before it was read.'],
  [/^(.*): Cannot (?:open|stat|readlink|read): No such file or directory$/, 'vanished before it was read.'],
]

function remarkOf(line: string): string | undefined {
  for (const [pattern, what] of known) {
    const path = pattern.exec(line)?.[1]
    if (path !== undefined) return `${path.replace(/^\.\//, '')} ${what}`
  }
  return undefined
}
