import { join } from 'node:path'
import { asksForJob, notes, notesFile, planAt } from './job.ts'
import type { Seen, Step } from './job.ts'
import { beginningOf, look, writeNotes } from './look.ts'
import { introduction, notWithoutModel, notWritten, refused, unreadable, written } from './words.ts'

/** What a turn may do to the world, and how it is heard. */
export interface TurnHands {
  update(update: object): void
  /** Whether a person said yes; false when they are gone, too. */
  ask(question: object): Promise<boolean>
  isCancelled(): boolean
  /** For people who watch: without it everything would be over before they look. */
  pause(): Promise<void>
}

interface Asked {
  cwd: string
  text: string
  isFirst: boolean
}

/** One turn of the demo agent. Resolves when there is nothing more to say, also when it was cancelled. */
export async function demoTurn({ cwd, text, isFirst }: Asked, hands: TurnHands): Promise<void> {
  if (!asksForJob(text, isFirst)) return say(hands, notWithoutModel)
  if (isFirst) say(hands, introduction)
  await step(hands, 0)
  const seen = await lookAround(cwd, hands)
  if (!seen) return
  if (!(await step(hands, 1))) return
  const path = join(cwd, notesFile)
  const before = await beginningOf(path)
  const after = notes(seen)
  const call = {
    toolCallId: `write-${Date.now()}`,
    title: `Write ${notesFile}`,
    name: 'write',
    kind: 'edit',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText: before ?? null, newText: after }],
  }
  hands.update({ sessionUpdate: 'tool_call', status: 'pending', ...call })
  const isGranted = await hands.ask({ ...call, status: 'pending' })
  if (hands.isCancelled()) return
  const tell = (status: string) =>
    hands.update({ sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status })
  if (!isGranted) {
    tell('failed')
    return say(hands, refused)
  }
  await step(hands, 2)
  const trouble = await writeNotes(cwd, after).then(() => undefined, reasonOf)
  tell(trouble === undefined ? 'completed' : 'failed')
  if (trouble !== undefined) return say(hands, notWritten(trouble))
  hands.update({ sessionUpdate: 'plan', entries: planAt('done') })
  say(hands, written(notesFile))
}

async function lookAround(cwd: string, hands: TurnHands): Promise<Seen | undefined> {
  const toolCallId = `look-${Date.now()}`
  hands.update({
    sessionUpdate: 'tool_call',
    toolCallId,
    title: 'List the files',
    name: 'list',
    kind: 'read',
    status: 'in_progress',
    rawInput: { path: '.' },
    locations: [{ path: cwd }],
  })
  const tell = (status: string, text: string) =>
    hands.update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status,
      content: [{ type: 'content', content: { type: 'text', text } }],
    })
  try {
    const seen = await look(cwd)
    await hands.pause()
    tell(
      'completed',
      [...seen.folders.map((folder) => `${folder}/`), ...seen.files].join('\n') || 'Nothing yet',
    )
    return seen
  } catch (error) {
    tell('failed', reasonOf(error))
    say(hands, unreadable(reasonOf(error)))
    return undefined
  }
}

/** Goes on to a step. False when it was called off meanwhile. */
async function step(hands: TurnHands, now: Step): Promise<boolean> {
  hands.update({ sessionUpdate: 'plan', entries: planAt(now) })
  await hands.pause()
  return !hands.isCancelled()
}

function say(hands: TurnHands, text: string): void {
  if (hands.isCancelled()) return
  hands.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${text}\n\n` } })
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
