import { runSystemTool } from './ground.ts'
import { WorkspaceRefusal } from './port.ts'

/** Longer than any project takes, and short enough that nobody waits for a broken disk. */
const longestMs = 60_000

/** What it takes on the disk: blocks, hard links once, links not followed, other disks not counted. */
export async function diskBytes(root: string): Promise<number> {
  const { stdout, code, stderr, isLate } = await runSystemTool(
    ['du', '-s', '-k', '-x', '--', '.'],
    root,
    longestMs,
  )
  const kilobytes = /^(\d+)/.exec(stdout.toString('utf8'))?.[1]
  // With something that could not be read it fails, and still tells the sum of the rest.
  if (kilobytes === undefined)
    throw new WorkspaceRefusal(
      'workspace_failed',
      `Its size cannot be told: ${isLate ? 'it took too long' : stderr.trim() || `du failed with ${code}`}`,
    )
  return Number(kilobytes) * 1024
}
