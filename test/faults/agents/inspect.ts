import type { Approval } from '#contract/approval.ts'
import type { StreamEvent } from '#contract/event.ts'
import type { Signalbox } from '../../support/signalbox.ts'
import type { Turn } from './load.ts'

/** Compares what Signalbox says of each turn with its events and with what was really done. */
export async function complaintsAbout(
  box: Signalbox,
  turns: readonly Turn[],
  timesDone: (word: string) => number,
): Promise<{ complaints: string[]; counts: string }> {
  const complaints: string[] = []
  const statuses: string[] = []
  for (const sessionId of new Set(turns.map((turn) => turn.sessionId))) {
    const events = await eventsOf(box, sessionId)
    if (events.some(({ seq }, index) => seq !== index + 1))
      complaints.push(`${sessionId}: its events have gaps`)
    for (const turn of turns.filter((one) => one.sessionId === sessionId)) {
      const { body } = await box.call('GET', `/executions/${turn.id}`)
      const { status, error } = body.data
      statuses.push(status)
      const complain = (what: string) =>
        complaints.push(`${turn.id} ${turn.kind} (${status}, ${error}): ${what}`)
      checkCounting(turn, status, textOf(events, turn.id), complain)
      const { body: asked } = await box.call('GET', `/approvals?executionId=${turn.id}`)
      checkDoing(turn, status, asked.data, timesDone(turn.word), complain)
      if (turn.kind === 'die' && status === 'succeeded') complain('its agent died')
    }
  }
  const counts = Object.entries(Object.groupBy(statuses, (status) => status))
  return { complaints, counts: counts.map(([status, of]) => `${of?.length} ${status}`).join(', ') }
}

type Complain = (what: string) => void

function checkCounting({ numbers }: Turn, status: string, text: string, complain: Complain): void {
  const counted = text.split(';').slice(0, -1).map(Number)
  const wrong = counted.findIndex((number, index) => number !== index + 1)
  if (wrong !== -1) complain(`after ${wrong} it counts ${counted[wrong]}`)
  if (status === 'succeeded' && counted.length !== numbers) complain(`${counted.length} of ${numbers}`)
}

function checkDoing(turn: Turn, status: string, asked: Approval[], done: number, complain: Complain): void {
  if (done > 1) complain(`was done ${done} times`)
  if (done > 0 && asked[0]?.status !== 'granted') complain(`was done, and is ${asked[0]?.status}`)
  if (turn.kind !== 'do' || status !== 'succeeded') return
  if (asked.length !== 1) complain(`was asked ${asked.length} times`)
  if (asked[0]?.status === 'granted' && done !== 1) complain('was granted and not done')
}

const textOf = (events: StreamEvent[], executionId: string): string =>
  events
    .filter((event) => event.executionId === executionId && event.type === 'text-delta')
    .map(({ payload }) => (payload as { delta: string }).delta)
    .join('')

async function eventsOf(box: Signalbox, sessionId: string): Promise<StreamEvent[]> {
  const all: StreamEvent[] = []
  for (;;) {
    const after = all.at(-1)?.seq ?? 0
    const { body } = await box.call('GET', `/sessions/${sessionId}/events?limit=1000&after=${after}`)
    if (body.data.length === 0) return all
    all.push(...body.data)
  }
}
