import { Workspace } from '#contract/workspace.ts'
import type { WorkspaceState } from '#contract/workspace.ts'
import { age } from './age.ts'
import { readAll } from './client.ts'
import type { Connection } from './connection.ts'
import { shortId } from './find-execution.ts'
import { inBytes } from './in-bytes.ts'
import type { Colour, Screen } from './screen.ts'
import { show } from './show-list.ts'
import type { ListOptions } from './show-list.ts'
import type { Column } from './table.ts'

const colours: Record<WorkspaceState, Colour> = {
  new: 'blue',
  preparing: 'blue',
  ready: 'plain',
  failed: 'red',
  trashed: 'dim',
}

const columns = (now: number): Column<Workspace>[] => [
  {
    title: 'STATE',
    text: ({ state, running }) => (running ? 'running' : state),
    colour: ({ state, running }) => (running ? 'green' : colours[state]),
  },
  { title: 'DRIVER', text: ({ driver, parentId }) => (parentId ? 'worktree' : driver) },
  { title: 'NAME', text: ({ name }) => name, flexible: true },
  { title: 'BRANCH', text: ({ branch }) => branch ?? '', spare: 2 },
  { title: 'DISK', text: ({ diskBytes }) => (diskBytes === null ? '' : inBytes(diskBytes)), spare: 3 },
  { title: 'ID', text: ({ id }) => shortId(id), colour: () => 'dim', spare: 1 },
  { title: 'AGE', text: ({ createdAt }) => age(createdAt, now), colour: () => 'dim', spare: 4 },
]

export async function listWorkspaces(
  connect: () => Connection,
  screen: Screen,
  options: ListOptions,
): Promise<void> {
  const workspaces = await readAll(connect(), '/workspaces', {}, Workspace)
  show(screen, options, workspaces, columns(Date.now()), 'No workspaces yet.')
}
