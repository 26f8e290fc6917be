import { createRoute } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { FoundWindow } from '#contract/internal.ts'
import type { AskWindow } from '#contract/internal.ts'
import { AskTerminal, TerminalToken } from '#contract/terminal.ts'
import type { Principal } from '#contract/access.ts'
import { findAgent } from '#db/agents.ts'
import type { Machine } from '#db/machines.ts'
import { findTerminal } from '#db/terminals.ts'
import { findWorkspace } from '#db/workspaces.ts'
import { Problem } from '#domain/problem.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { visibleSession } from '#flows/find-execution.ts'
import { visibleWorkspace } from '#flows/find-workspace.ts'
import { issueTerminalToken } from '#flows/terminal-token.ts'
import { isLoopback } from '#lib/loopback.ts'
import { answersOne, body } from './answers.ts'
import { bearerToken, requireOwner, requireScope } from './auth.ts'
import { askWorker } from './owning-worker.ts'
import { newRoom } from './room.ts'
import type { Env, Parts } from './room.ts'

const token = createRoute({
  method: 'post',
  path: '/terminal/token',
  tags: ['terminal'],
  summary:
    'Get a token for one window of a session, or the shell of a workspace: it opens once, within 5 minutes; only the owner may',
  request: body(AskTerminal),
  responses: answersOne(
    TerminalToken,
    'The token, and the address of the terminal on the machine that has it',
  ),
})

type TerminalParts = Pick<Parts, 'pool' | 'doorkeeper' | 'settings' | 'machineId'>

/** Files may have to be brought, and walls to be put up. */
const patienceMs = 60_000

export function terminalRoutes(parts: TerminalParts) {
  const { pool, doorkeeper } = parts
  const room = newRoom()
  room.on('POST', '/terminal/token', requireOwner, requireScope('terminal'))

  room.openapi(token, async (c) => {
    const { readOnly, ...asked } = c.req.valid('json')
    const window = { ...asked, window: asked.window ?? (asked.workspaceId === undefined ? 'agent' : 'shell') }
    const machine = await machineOf(parts, c.get('principal'), window)
    const url = await addressOf(parts, c, machine)
    // Here its reasons can be read: a browser keeps to itself why a socket was refused.
    await askWorker(pool.db, machine, '/window', window satisfies AskWindow, FoundWindow, patienceMs)
    const credential = await doorkeeper.admit(bearerToken(c))
    if (credential.kind === 'jwt') throw new Problem('forbidden', 'A JWT opens no terminal')
    const origin = c.req.header('origin')
    const data = await issueTerminalToken(pool.db, {
      ...window,
      machineId: machine.id,
      readOnly,
      tokenId: credential.tokenId,
      ...(origin !== undefined && { origin }),
    })
    return c.json({ data: { token: data, url } }, 200)
  })
  return room
}

async function machineOf(
  { pool, machineId }: TerminalParts,
  by: Principal,
  { sessionId, workspaceId }: Pick<AskTerminal, 'sessionId' | 'workspaceId'>,
): Promise<Machine> {
  if (workspaceId !== undefined) {
    const workspace = await visibleWorkspace(pool.db, by, workspaceId)
    return chooseMachine(pool.db, workspace.machineId, machineId)
  }
  const session = await visibleSession(pool.db, by, sessionId ?? '')
  if (session.trashedAt !== null)
    throw new Problem('session_trashed', 'The session is in the trash: restore it first', { sessionId })
  const workspace = session.workspaceId ? await findWorkspace(pool.db, session.workspaceId) : undefined
  const agent = session.agentId ? await findAgent(pool.db, session.agentId) : undefined
  return chooseMachine(pool.db, workspace?.machineId ?? agent?.machineId, machineId)
}

/** By the name that web is called by where the terminal is on the same machine; else by what that machine has said. */
async function addressOf(
  { pool, settings, machineId }: TerminalParts,
  c: Context<Env>,
  machine: Machine,
): Promise<string> {
  const place = await findTerminal(pool.db, machine.id)
  if (!place)
    throw new Problem(
      'terminal_unavailable',
      `No terminal serves on ${machine.name}. It comes with \`signalbox up\`; otherwise start it there: signalbox terminal`,
    )
  if (place.url !== null) return place.url
  if (machine.id !== machineId)
    throw new Problem(
      'terminal_unavailable',
      `${machine.name} has not said how browsers reach its terminal: set TERMINAL_URL there, for example wss://terminal.example.com/terminal`,
    )
  const { host, publicUrl } = settings.current()
  const called = URL.parse(`http://${c.req.header('host')}`)?.hostname || host
  // Where a proxy stands in front, web passes it on: one address is enough for both.
  if (publicUrl !== undefined && !isLoopback(called))
    return `${publicUrl.replace(/^http/, 'ws').replace(/\/+$/, '')}/terminal`
  return `ws://${called}:${place.port}/terminal`
}
