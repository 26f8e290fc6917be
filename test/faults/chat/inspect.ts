import type { Approval } from '#contract/approval.ts'
import type { StreamEvent } from '#contract/event.ts'
import type { ChatRoom } from '../../support/chat/room.ts'
import type { ChatTurn } from './load.ts'

/** Compares what Signalbox says of each turn with its events, with what the model was asked, and with what was really done. */
export async function complaintsAboutChats(room: ChatRoom, turns: readonly ChatTurn[]): Promise<string[]> {
  const complaints = room.model.complaints.map((one) => `the model: ${one}`)
  const done = room.done()
  const heard = room.model.turns.map((turn) => turn.heard.join('\n'))
  for (const sessionId of new Set(turns.map((turn) => turn.sessionId))) {
    const events = await room.events(sessionId)
    if (events.some(({ seq }, at) => seq !== at + 1)) complaints.push(`${sessionId}: its events have gaps`)
    for (const turn of turns.filter((one) => one.sessionId === sessionId)) {
      const { body } = await room.box.call('GET', `/executions/${turn.id}`)
      const { status, error } = body.data
      const complain = (what: string) => complaints.push(`${turn.id} (${status}, ${error}): ${what}`)
      if (status !== 'succeeded') complain('has not succeeded')
      if (!textOf(events, turn.id).includes(turn.word)) complain(`does not end with ${turn.word}`)
      for (const word of turn.words)
        if (!heard.some((all) => all.includes(word))) complain(`the model has never heard ${word}`)
      const { body: asked } = await room.box.call('GET', `/approvals?executionId=${turn.id}&pageSize=100`)
      for (const key of turn.keys) checkBooking(key, events, asked.data, done, complain)
    }
  }
  const twice = done.filter((line, at) => !line.startsWith('look ') && done.indexOf(line) !== at)
  return [...complaints, ...twice.map((line) => `${line}: was done twice`)]
}

function checkBooking(
  key: string,
  events: readonly StreamEvent[],
  approvals: readonly Approval[],
  done: readonly string[],
  complain: (what: string) => void,
): void {
  const wanted = events.filter(
    ({ type, payload }) => type === 'tool-input-available' && keyIn(payload) === key,
  )
  const calls = new Set(wanted.map(({ payload }) => callIn(payload)))
  const outcomes = events.filter(
    ({ type, payload }) => type.startsWith('tool-output-') && calls.has(callIn(payload)),
  )
  const told = outcomes.map(({ payload }) => JSON.stringify(payload)).join()
  if (outcomes.length !== 1) complain(`${key} has ${outcomes.length} outcomes: ${told}`)
  const [approval, ...others] = approvals.filter(
    ({ input }) => (input as { key?: string } | null)?.key === key,
  )
  if (!approval || others.length > 0)
    return complain(`${key} was asked ${others.length + (approval ? 1 : 0)} times: ${told}`)
  const isDone = done.includes(`book ${key}`)
  if (isDone && approval.status !== 'granted') complain(`${key} was done, and is ${approval.status}`)
  const isTold = told.includes(`${key} is done`)
  if (isTold && !isDone) complain(`${key} is told as done, and was not`)
  if (approval.status === 'granted' && !isTold && !told.includes('not known'))
    complain(`${key} was granted, and came to ${told}`)
}

const keyIn = (payload: unknown) => (payload as { input?: { key?: unknown } }).input?.key
const callIn = (payload: unknown) => (payload as { toolCallId?: unknown }).toolCallId

const textOf = (events: readonly StreamEvent[], executionId: string): string =>
  events
    .filter((event) => event.executionId === executionId && event.type === 'text-delta')
    .map(({ payload }) => (payload as { delta: string }).delta)
    .join('')
