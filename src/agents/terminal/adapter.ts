import { Readable } from 'node:stream'
import type { Prompt } from '#contract/agent-event.ts'
import type { CommandOutcome } from '#contract/keeper.ts'
import { NotStarted } from '#lib/program.ts'
import { ownVariables } from '../own-server.ts'
import type { Instruction, Output, ProgramAdapter, Terminal } from '../port.ts'
import { readOutput } from '../template/output.ts'
import { untilQuiet } from './until-quiet.ts'

/** A second interrupt within this time means it. */
const insistsMs = 2_000

/** Anything that people use in a terminal: what is said to it is typed. */
export const terminalAdapter: ProgramAdapter = {
  async start({ program, argv, env, cwd, turn }, { openTerminal }) {
    const first = turn && wordsOf(turn.prompt)
    if (first === null) throw new NotStarted(noFiles)
    // What people use in a terminal is configured by themselves: with these it can run `signalbox mcp`.
    const ours = turn?.ownTools && ownVariables(turn.ownTools)
    const terminal = await openTerminal({ file: program, argv, env: { ...env, ...ours }, cwd })
    const output = readOutput({ stdout: terminal.output, stderr: Readable.from([]) })
    const ready = untilQuiet(terminal.output, terminal.exited)
    const typed = (text: string) => ready.then(() => terminal.type(text))
    let last = first ? typed(first).catch(() => undefined) : ready
    /** In the order in which it was said: what comes while the first is being typed waits for that. */
    const inTurn = (work: () => Promise<void>): Promise<CommandOutcome> => {
      const done = last.then(work)
      last = done.catch(() => undefined)
      return done.then(
        () => ({ outcome: 'delivered' }),
        () => ({ outcome: 'refused', reason: 'Its terminal is gone.' }),
      )
    }
    const interrupt = interrupter(terminal)
    return {
      pid: terminal.pid,
      tmuxSession: terminal.name,
      events: untilGone(output.events, terminal.gone),
      exited: terminal.exited,
      async tell({ type, payload }: Instruction) {
        if (type === 'interrupt') return inTurn(interrupt)
        if (type !== 'message') return { outcome: 'refused', reason: refusals[type] }
        const text = wordsOf(payload)
        if (text === null) return { outcome: 'refused', reason: noFiles }
        const told = await inTurn(() => typed(text))
        return told.outcome === 'delivered' ? { ...told, how: 'steered' } : told
      },
      stop: terminal.end,
      hangUp: output.hangUp,
    }
  },
}

const refusals = {
  answer: 'What it asks is asked in its terminal: attach to it and answer there.',
  mode: 'Its model and mode are chosen in its terminal: attach to it.',
}

const noFiles =
  'A terminal takes no files that are brought along: put them into the workspace, and name their paths.'

/** What is typed; files of the workspace by their paths. Null when something cannot be typed. */
function wordsOf({ text, files }: Prompt): string | null {
  if (files.some(({ url }) => url.startsWith('data:'))) return null
  return [text, ...files.map(({ url }) => url)].join('\n')
}

function interrupter(terminal: Terminal): () => Promise<void> {
  let lastAt = Number.NEGATIVE_INFINITY
  return () => {
    const insists = performance.now() - lastAt < insistsMs
    lastAt = performance.now()
    return terminal.press(insists ? 'C-c' : 'Escape')
  }
}

async function* untilGone(events: AsyncIterable<Output>, gone: Promise<void>): AsyncGenerator<Output> {
  yield* events
  await gone
}
