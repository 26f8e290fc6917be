import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { seeded } from '../../support/seeded.ts'
import type { Signalbox } from '../../support/signalbox.ts'

/** One turn that was acknowledged. */
export interface Turn {
  id: string
  sessionId: string
  kind: 'count' | 'do' | 'die'
  /** How far it counts. */
  numbers: number
  /** What it does once it may. */
  word: string
}

const kinds = ['count', 'do', 'do', 'die'] as const

/** Keeps sessions going, turn after turn, and answers what is asked, whatever happens. */
export function keepTalking(
  box: Signalbox,
  random: ReturnType<typeof seeded>,
  { capabilities, truth, lanes }: { capabilities: string[]; truth: string; lanes: number },
) {
  const turns: Turn[] = []
  const refusals: string[] = []
  let [talking, count] = [true, 0]

  function plan(): Omit<Turn, 'id' | 'sessionId'> & { prompt: string } {
    const kind = kinds[random.below(kinds.length)]!
    count += 1
    const word = `word-${count}`
    const [rate, halves] = [500 * (1 + random.below(4)), 1 + random.below(3)]
    const numbers = (rate * halves) / 2
    const counting = `flood ${rate} ${halves / 2}`
    const last = { count: 'say .', do: `note ${join(truth, 'done')} ${word}`, die: 'kill SIGKILL' }[kind]
    return { kind, word, numbers, prompt: `${counting}\n${last}` }
  }

  async function turn(sessionId: string | undefined, capabilityId: string): Promise<string | undefined> {
    const { prompt, ...planned } = plan()
    const { status, body } = await box.call('POST', '/executions', {
      capabilityId,
      prompt,
      ...(sessionId && { sessionId }),
    })
    if (status !== 201) {
      if (status !== 503 && status !== 409) refusals.push(`${status} ${JSON.stringify(body)}`)
      await wait(300)
      return sessionId
    }
    const { id } = body.data
    turns.push({ id, sessionId: body.data.sessionId, ...planned })
    for (let isOver = false; !isOver && talking; await wait(200)) {
      const read = await box.call('GET', `/executions/${id}`).catch(() => undefined)
      isOver = Boolean(read?.body?.data?.endedAt)
    }
    return body.data.sessionId
  }

  async function lane(capabilityId: string): Promise<void> {
    let sessionId: string | undefined
    while (talking) {
      sessionId = await turn(sessionId, capabilityId).catch(() => sessionId) // web was away
      if (random.below(4) === 0) sessionId = undefined
    }
  }

  /** Answers go on to the end: a turn whose question nobody answers would wait for ever. */
  let answering = true
  async function answerAll(): Promise<void> {
    for (; answering; await wait(150)) {
      const { body } = await box.call('GET', '/approvals?status=waiting').catch(() => ({ body: undefined }))
      for (const { id } of body?.data ?? []) {
        const decision = random.below(4) === 0 ? 'refused' : 'granted'
        await box.call('POST', `/approvals/${id}`, { decision }).catch(() => undefined)
      }
    }
  }

  const talked = Promise.all(
    Array.from({ length: lanes }, (_, index) => lane(capabilities[index % capabilities.length]!)),
  )
  const answered = answerAll()
  return {
    turns,
    refusals,
    async stopTalking() {
      talking = false
      await talked
    },
    async stopAnswering() {
      answering = false
      await answered
    },
  }
}
