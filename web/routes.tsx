import { createRootRoute, createRoute, createRouter, Link } from '@tanstack/react-router'
import { Empty } from './ui/empty.tsx'
import { HomePage } from './features/home/home-page.tsx'
import { Shell } from './features/shell/shell.tsx'
import { part } from './part.tsx'
import { strings } from './strings/page.ts'
import { BrokenPage } from './ui/broken.tsx'

export interface HomeSearch {
  /** The end of what the tracks show; without it now. */
  until?: string | undefined
}

export interface BoardSearch {
  task?: string | undefined
  q?: string | undefined
  assignee?: string | undefined
  cancelled?: 'shown' | undefined
}

export interface SessionSearch {
  /** The turn that is open; without it the newest. */
  execution?: string | undefined
  /** What is shown beside the conversation; on a phone in its place. */
  view?: SessionView | undefined
  /** Of the terminal; without it the agent's. */
  window?: 'shell' | undefined
  /** Of the files: the one that is open. */
  file?: string | undefined
  /** Of the open file: the line that is looked for. */
  line?: string | undefined
}

export interface WorkspacesSearch {
  /** Without it, those that are in use. */
  view?: 'trash' | 'archives' | undefined
}

export interface SettingsSearch {
  /** Without it, on a phone, the list of them. */
  section?: string | undefined
  /** Of the audit. */
  q?: string | undefined
  kind?: string | undefined
  outcome?: string | undefined
  page?: string | undefined
}

export interface ToolsSearch {
  /** The playground, in place of the sources and what they offer. */
  view?: 'code' | undefined
}

export const sessionViews = ['changes', 'files', 'terminal', 'log', 'details'] as const
export type SessionView = (typeof sessionViews)[number]

const isId = (text: string | undefined) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text ?? '')

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: HomePage,
  validateSearch: ({ until }: Record<string, string | undefined>): HomeSearch => ({
    until: until && !Number.isNaN(Date.parse(until)) ? new Date(until).toISOString() : undefined,
  }),
})
const board = createRoute({
  getParentRoute: () => root,
  path: '/board',
  component: part(() => import('./features/board/board-page.tsx')),
  validateSearch: ({ task, q, assignee, cancelled }: Record<string, string | undefined>): BoardSearch => ({
    task: isId(task) ? task : undefined,
    q: q?.slice(0, 200) || undefined,
    assignee: isId(assignee) ? assignee : undefined,
    cancelled: cancelled === 'shown' ? cancelled : undefined,
  }),
})
const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  component: part(() => import('./features/approval/inbox-page.tsx')),
})
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: part(() => import('./features/agent/agents-page.tsx')),
})
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  component: part(() => import('./features/session/sessions-page.tsx')),
})
const oneSession = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$id',
  component: part(() => import('./features/session/session-page.tsx')),
  validateSearch: ({
    execution,
    view,
    window,
    file,
    line,
  }: Record<string, string | undefined>): SessionSearch => ({
    execution: isId(execution) ? execution : undefined,
    view: sessionViews.find((each) => each === view),
    window: window === 'shell' ? window : undefined,
    file: file?.slice(0, 4096) || undefined,
    line: /^[1-9]\d{0,8}$/.test(line ?? '') ? line : undefined,
  }),
})
const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  component: part(() => import('./features/tool/tools-page.tsx')),
  validateSearch: ({ view }: Record<string, string | undefined>): ToolsSearch => ({
    view: view === 'code' ? view : undefined,
  }),
})
const authorized = createRoute({
  getParentRoute: () => root,
  path: '/authorized',
  component: part(() => import('./features/tool/authorized-page.tsx')),
})
const workspaces = createRoute({
  getParentRoute: () => root,
  path: '/workspaces',
  component: part(() => import('./features/workspace/workspaces-page.tsx')),
  validateSearch: ({ view }: Record<string, string | undefined>): WorkspacesSearch => ({
    view: view === 'trash' || view === 'archives' ? view : undefined,
  }),
})
const shell = createRoute({
  getParentRoute: () => root,
  path: '/workspaces/$id/shell',
  component: part(() => import('./features/terminal/shell-page.tsx')),
})
const machines = createRoute({
  getParentRoute: () => root,
  path: '/machines',
  component: part(() => import('./features/machine/machines-page.tsx')),
})
const spend = createRoute({
  getParentRoute: () => root,
  path: '/spend',
  component: part(() => import('./features/spend/spend-page.tsx')),
})
const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: part(() => import('./features/welcome/welcome-page.tsx')),
})
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: part(() => import('./features/settings/settings-page.tsx')),
  validateSearch: (search: Record<string, string | undefined>): SettingsSearch => ({
    section: search['section'] || undefined,
    q: search['q']?.slice(0, 200) || undefined,
    kind: search['kind'] || undefined,
    outcome: search['outcome'] || undefined,
    page: /^[1-9]\d{0,5}$/.test(search['page'] ?? '') ? search['page'] : undefined,
  }),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    board,
    inbox,
    sessions,
    oneSession,
    agents,
    tools,
    authorized,
    workspaces,
    shell,
    machines,
    spend,
    settings,
    welcome,
  ]),
  defaultErrorComponent: BrokenPage,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search as Record<string, unknown>).filter(([, value]) => value !== undefined)
    const text = new URLSearchParams(given as [string, string][]).toString()
    return text && `?${text}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

function NotFound() {
  return (
    <Empty title={strings.notFound.heading} text={strings.notFound.text}>
      <Link to="/board" className="underline">
        {strings.task.backToBoard}
      </Link>
    </Empty>
  )
}
