import { join, sep } from 'node:path'
import type { Place } from './port.ts'
import { WorkspaceRefusal } from './port.ts'

/** Where everything about workspaces lies in the home: on one disk, so that a rename puts a thing away or in place at once. */
export interface Places {
  home: string
  workspaces: string
  worktrees: string
  /** What we know of each worktree; agents see the worktrees, and not these. */
  records: string
  archives: string
  trash: string
  drafts: string
}

export const placesIn = (home: string): Places => ({
  home,
  workspaces: join(home, 'workspaces'),
  worktrees: join(home, 'worktrees'),
  records: join(home, 'worktree-records'),
  archives: join(home, 'archives'),
  trash: join(home, 'trash'),
  drafts: join(home, 'drafts'),
})

export function placeIn(places: Places, workspaceId: string): Place {
  const folder = join(places.workspaces, safeName(workspaceId))
  return { folder, root: join(folder, 'root'), homes: join(folder, 'homes') }
}

/** A name that is one component of a path, and nothing else. */
export function safeName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(name))
    throw new WorkspaceRefusal(
      'does_not_fit',
      `${JSON.stringify(name)} is not the name of anything kept here.`,
    )
  return name
}

export const isBelow = (path: string, folder: string): boolean => path.startsWith(folder + sep)
