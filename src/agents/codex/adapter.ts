import { stripVTControlCharacters } from 'node:util'
import { inside } from '#contract/host.ts'
import { readLines } from '#lib/lines.ts'
import { NotStarted } from '#lib/program.ts'
import { usualInterruptMs } from '../interrupt.ts'
import type { EnclosedAgent, Hands, SessionAdapter, SessionLaunch } from '../port.ts'
import { Ears } from './ears.ts'
import { oneLine } from './fields.ts'
import { isMode, modeNames, usualMode } from './modes.ts'
import type { Mode } from './modes.ts'
import { Rpc } from './rpc.ts'
import { CodexSession } from './session.ts'
import { listModels, openThread } from './thread.ts'

const endGraceMs = 2_000
const greetingMs = 30_000

/** Codex, by its `app-server`. */
export const codexAdapter: SessionAdapter = { open: (launch, hands) => openCodex(launch, hands) }

/** Rejects with NotStarted. */
export async function openCodex(
  launch: SessionLaunch,
  hands: Hands,
  interruptMs = usualInterruptMs,
): Promise<CodexSession> {
  const mode = modeOf(launch)
  const program = await hands.start({
    file: launch.program,
    argv: argvOf(launch.argv),
    env: launch.env,
    cwd: launch.cwd,
    takesInput: true,
  })
  const ears: Ears = new Ears(() => rpc)
  const rpc: Rpc = new Rpc(program, hands.frame, ears)
  const lastWords = hearErrors(program, hands, ears)
  try {
    await greet(rpc, launch)
    const thread = await openThread(rpc, launch, mode)
    ears.follow(thread.id, thread.ownServer)
    await ears.outlet.tell([{ type: 'session', facts: thread.facts }])
    void listModels(rpc).then(
      (models) => models && ears.outlet.tell([{ type: 'session', facts: { models } }]),
    )
    void rpc.ended.then(() => endWith(program, ears, lastWords))
    return new CodexSession({
      program,
      rpc,
      ears,
      threadId: thread.id,
      mode,
      root: rootOf(launch),
      interruptMs,
    })
  } catch (error) {
    await program.end(endGraceMs)
    await rpc.ended
    if (error instanceof NotStarted) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new NotStarted(
      oneLine(`Codex could not be started: ${[why, lastWords()].filter(Boolean).join(': ')}`),
    )
  }
}

/** As the agent knows it. */
const rootOf = ({ workspace }: SessionLaunch): string =>
  workspace.driver === 'folder' ? workspace.root : inside.root

/** The agent's own arguments may name it themselves. */
const argvOf = (argv: readonly string[]): string[] =>
  argv.includes('app-server') ? [...argv] : ['app-server', ...argv]

function modeOf({ turn }: SessionLaunch): Mode {
  if (!turn.mode) return usualMode
  if (isMode(turn.mode)) return turn.mode
  throw new NotStarted(`Codex has no mode ${turn.mode}; there are ${modeNames}.`)
}

/** Nothing else is answered before this. */
async function greet(rpc: Rpc, { env }: SessionLaunch): Promise<void> {
  await rpc.request(
    'initialize',
    {
      clientInfo: { name: 'signalbox', title: 'Signalbox', version: '1' },
      // What is left running after an interrupt can be ended only with this.
      capabilities: { experimentalApi: true, requestAttestation: false },
    },
    greetingMs,
  )
  rpc.notify('initialized')
  const { account, requiresOpenaiAuth } = await rpc.request('account/read', {}, greetingMs)
  if (requiresOpenaiAuth === true && !account && !env['CODEX_API_KEY'])
    throw new NotStarted('Codex is not logged in. Run `codex login`, or `codex login --with-api-key`.')
}

/** Tells what it writes beside the protocol; answers with the last of it. */
function hearErrors(program: EnclosedAgent, { frame }: Hands, ears: Ears): () => string {
  let last = ''
  void readLines(program.stderr, {
    take: async (line) => {
      frame('err', line)
      last = stripVTControlCharacters(line)
      await ears.outlet.tell([{ type: 'data-terminal', stream: 'stderr', bytes: Buffer.from(`${line}\n`) }])
    },
    tooLong: (bytes) => ears.onMalformed(`a line of ${bytes} bytes beside its messages`),
    longest: 1024 * 1024,
  })
  return () => oneLine(last, 300)
}

/** One that has closed its output cannot be spoken to any more, so it is no use alive. */
async function endWith(program: EnclosedAgent, ears: Ears, lastWords: () => string): Promise<void> {
  await program.end(endGraceMs)
  const { exitCode } = await program.exited
  const why = exitCode ? lastWords() : ''
  ears.onEnd(why ? { message: why } : undefined)
}
