import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs'

const closedOnExec = 0o2000000

/**
 * Descriptors that we were born with and would pass on to every program, whatever they lead to: a folder, a terminal, a socket.
 * Node closes its own. What is returned is for `stdio` of spawn: in place of each one, nothing.
 */
export function withoutInherited<Ours>(ours: readonly Ours[]): {
  stdio: (Ours | number | 'ignore')[]
  close(): void
} {
  const nothing = openSync('/dev/null', 'r')
  const stdio: (Ours | number | 'ignore')[] = [...ours]
  for (const inherited of inheritedDescriptors()) {
    while (stdio.length <= inherited) stdio.push('ignore')
    if (inherited >= ours.length) stdio[inherited] = nothing
  }
  return { stdio, close: () => closeSync(nothing) }
}

function inheritedDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && (flagsOf(descriptor) & closedOnExec) === 0)
}

function flagsOf(descriptor: number): number {
  try {
    const [, flags = ''] =
      /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return Number.parseInt(flags, 8)
  } catch {
    return closedOnExec // it was the one with which we looked
  }
}
