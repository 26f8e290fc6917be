import { GitAddress } from '../../../src/contract/git-address.ts'
import { CreateWorkspace, EditWorkspace } from '../../../src/contract/workspace.ts'
import type { Workspace, WorkspaceDriver, WorkspaceSource } from '../../../src/contract/workspace.ts'
import { misfitsIn } from '../../misfit.ts'

export const reaches = ['model', 'none', 'open', 'list'] as const
export const sources = ['nothing', 'git', 'path', 'archive'] as const

/** What stands in the form. */
export interface Written {
  name: string
  machineId: string
  driver: WorkspaceDriver
  root: string
  worktrees: boolean
  source: (typeof sources)[number]
  git: string
  ref: string
  path: string
  archive: string
  image: string
  reach: (typeof reaches)[number]
  hosts: string
  setup: string
  appCommand: string
  appPort: string
}

export function writtenOf(workspace: Workspace | undefined, archive: string | undefined): Written {
  const { egress = 'model' } = workspace ?? {}
  return {
    name: workspace?.name ?? '',
    machineId: '',
    driver: workspace?.driver ?? 'sandbox',
    root: workspace?.root ?? '',
    worktrees: workspace?.worktrees ?? true,
    source: archive === undefined ? 'git' : 'archive',
    git: '',
    ref: '',
    path: '',
    archive: archive ?? '',
    image: workspace?.image ?? '',
    reach: Array.isArray(egress) ? 'list' : egress,
    hosts: Array.isArray(egress) ? egress.join(' ') : '',
    setup: workspace?.setup ?? '',
    appCommand: workspace?.app?.command ?? '',
    appPort: workspace?.app ? String(workspace.app.port) : '',
  }
}

/** What can be changed later too. */
const changeable = (written: Written) => ({
  ...(written.driver === 'docker' && { image: written.image.trim() || null }),
  ...(written.driver === 'folder'
    ? { worktrees: written.worktrees }
    : { egress: written.reach === 'list' ? written.hosts.split(/[\s,]+/).filter(Boolean) : written.reach }),
  setup: written.setup.trim() || null,
  app: written.appCommand.trim()
    ? { command: written.appCommand.trim(), port: Number(written.appPort) }
    : null,
})

export const editOf = (written: Written): EditWorkspace => ({
  name: written.name.trim(),
  ...changeable(written),
})

export const createOf = (written: Written): Partial<CreateWorkspace> & { driver: WorkspaceDriver } => {
  const { driver, name, machineId, root } = written
  const source = driver === 'folder' ? undefined : sourceOf(written)
  return {
    driver,
    ...(name.trim() && { name: name.trim() }),
    ...(machineId && { machineId }),
    ...(driver === 'folder' && { root: root.trim() }),
    ...(source && { source }),
    ...changeable(written),
  }
}

function sourceOf({ source, git, ref, path, archive }: Written): WorkspaceSource | undefined {
  if (source === 'git')
    return git.trim() ? { git: git.trim(), ...(ref.trim() && { ref: ref.trim() }) } : undefined
  if (source === 'path') return { path: path.trim() }
  return source === 'archive' ? { archive: archive.trim() } : undefined
}

/** What does not fit yet, by the field of the form. */
export function misfitsOf(written: Written, isNew: boolean): Partial<Record<keyof Written, string>> {
  const all = isNew
    ? misfitsIn(CreateWorkspace, createOf(written))
    : misfitsIn(EditWorkspace, editOf(written))
  const { driver, source, git, path, archive, appPort } = written
  const isCloned = isNew && driver !== 'folder'
  const found: Partial<Record<keyof Written, string | undefined>> = {
    name: all['name'],
    root: isNew ? all['root'] : undefined,
    git: isCloned && source === 'git' && git.trim() ? misfitsIn(GitAddress, git.trim())[''] : undefined,
    path: isCloned && source === 'path' && path.trim() === '' ? 'must not be empty' : undefined,
    archive: isCloned && source === 'archive' && archive.trim() === '' ? 'must not be empty' : undefined,
    image: all['image'],
    hosts: Object.entries(all).find(([place]) => place.startsWith('egress'))?.[1],
    setup: all['setup'],
    appCommand: all['app.command'],
    appPort: all['app.port'] && (appPort.trim() === '' ? 'must be a number' : all['app.port']),
    ref:
      Object.keys(all).includes('source') && source === 'git' && written.ref.trim() !== ''
        ? all['source']
        : undefined,
  }
  return Object.fromEntries(Object.entries(found).filter(([, reason]) => reason !== undefined))
}
