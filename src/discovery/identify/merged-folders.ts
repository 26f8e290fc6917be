import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** What became a part of another folder on most machines, while packages still call it by its former place. */
const merged = ['bin', 'sbin', 'lib', 'lib64', 'lib32', 'libx32', 'usr/sbin']

/** Writes a path as the one that it is now: `/bin/ls` as `/usr/bin/ls`, where `/bin` is a link to there. */
export async function openPlacer(root: string): Promise<(path: string) => string> {
  const moves = await Promise.all(
    merged.map(async (name) => {
      const from = join(root, name)
      const to = await realpath(from).catch(() => from)
      return to === from ? [] : [[`${from}/`, `${to}/`] as const]
    }),
  )
  const all = moves.flat()
  return (path) => {
    const move = all.find(([from]) => path.startsWith(from))
    return move ? move[1] + path.slice(move[0].length) : path
  }
}
