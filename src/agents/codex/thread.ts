import type { Choice, SessionFacts } from '#contract/agent-event.ts'
import type { SessionLaunch } from '../port.ts'
import type { Fields } from './fields.ts'
import { fieldsOf, listOf, textOf } from './fields.ts'
import type { Mode } from './modes.ts'
import { modesOffered, policyOf } from './modes.ts'
import type { Rpc } from './rpc.ts'
import { RpcError } from './rpc.ts'
import { configOf } from './trust.ts'

const ways = {
  new: 'thread/start',
  resumed: 'thread/resume',
  forked: 'thread/fork',
} as const

export interface Thread {
  id: string
  facts: SessionFacts
  /** What our own endpoint is called in it. */
  ownServer: string
}

/** Goes on where the session was, if Codex can; else begins a new one and says so. */
export async function openThread(rpc: Rpc, launch: SessionLaunch, mode: Mode): Promise<Thread> {
  const { ownServer, settings: config } = await configOf(rpc, launch)
  return { ...(await opened(rpc, launch, mode, { ...settingsOf(launch, mode), ...config })), ownServer }
}

async function opened(
  rpc: Rpc,
  launch: SessionLaunch,
  mode: Mode,
  settings: Fields,
): Promise<Omit<Thread, 'ownServer'>> {
  const { sessionRef, fork, isContinued } = launch.turn
  if (!sessionRef) {
    const note = isContinued ? `${newOne}: what Codex calls the one before is not known` : undefined
    return begun('new', await rpc.request(ways.new, settings), mode, note)
  }
  const way = fork ? 'forked' : 'resumed'
  try {
    const params = { ...settings, threadId: sessionRef, excludeTurns: true }
    return begun(way, await rpc.request(ways[way], params), mode)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const note = `${newOne}: Codex could not go on with ${sessionRef} (${error.message})`
    return begun('new', await rpc.request(ways.new, settings), mode, note)
  }
}

const newOne = 'A new session begins, which knows nothing of what was before'

function begun(
  began: keyof typeof ways,
  answer: Fields,
  mode: Mode,
  note?: string,
): Omit<Thread, 'ownServer'> {
  const thread = fieldsOf(answer['thread'])
  const id = textOf(thread['id'])
  if (!id) throw new Error('Codex began a thread without an id')
  const [model, title] = [textOf(answer['model']), textOf(thread['name'])]
  const agentVersion = textOf(thread['cliVersion'])
  return {
    id,
    facts: {
      sessionRef: id,
      began,
      mode,
      modes: modesOffered(mode),
      ...(note && { note }),
      ...(model && { model }),
      ...(title && { title }),
      ...(agentVersion && { agentVersion }),
    },
  }
}

const settingsOf = ({ cwd, turn }: SessionLaunch, mode: Mode): Fields => ({
  cwd,
  approvalPolicy: policyOf(mode),
  sandbox: 'danger-full-access',
  ...(turn.model && { model: turn.model }),
})

/** Undefined where Codex does not tell. */
export async function listModels(rpc: Rpc): Promise<Choice[] | undefined> {
  const models: Choice[] = []
  let cursor: string | undefined
  try {
    for (let pages = 0; pages === 0 || (cursor && pages < 10); pages += 1) {
      const page = await rpc.request('model/list', cursor ? { cursor } : {})
      for (const { model, displayName, description, hidden } of listOf(page['data'])) {
        const id = textOf(model)
        if (!id || hidden === true) continue
        const about = textOf(description)
        models.push({ id, label: textOf(displayName) ?? id, ...(about && { description: about }) })
      }
      cursor = textOf(page['nextCursor'])
    }
  } catch {
    return undefined
  }
  return models
}
