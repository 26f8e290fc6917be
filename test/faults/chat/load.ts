import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../../support/signalbox.ts'
import type { ChatAgent, ChatRoom } from '../../support/chat/room.ts'
import type { seeded } from '../../support/seeded.ts'

/** One turn that was acknowledged. */
export interface ChatTurn {
  id: string
  sessionId: string
  /** The model ends it with this. */
  word: string
  /** What it books, each with a question before. */
  keys: string[]
  /** What was said in the middle of it, and acknowledged. */
  words: string[]
}

/** Keeps chats going, turn after turn, with calls, questions and words in between, whatever happens. */
export function keepChatting(
  { box }: Pick<ChatRoom, 'box'>,
  random: ReturnType<typeof seeded>,
  agents: readonly ChatAgent[],
) {
  const turns: ChatTurn[] = []
  const refusals: string[] = []
  let [chatting, answering, count] = [true, true, 0]

  function plan(): { prompt: string; word: string; keys: string[] } {
    count += 1
    const word = `word-${count}.`
    const keys = Array.from({ length: 1 + random.below(3) }, (_, at) => `key-${count}-${at}`)
    const calls = [
      ...keys.map((key) => ['desk__book', { key }]),
      ['desk__look', { key: `look-${count}` }],
      ['desk__slow', { key: `slow-${count}`, ms: random.below(300) }],
    ]
    const last = `[[text:Said it all, slowly and in many words, and now ${word}]]`
    return random.below(3) === 0
      ? { prompt: `chat ${count} [[slow:${5 + random.below(10)}]] ${last}`, word: '', keys: [] }
      : { prompt: `chat ${count} [[calls:${JSON.stringify(calls)}]] ${last}`, word, keys }
  }

  const isAcknowledged = ({ status, body }: Answer): boolean => {
    if (status < 300) return true
    if (status !== 503 && status !== 409) refusals.push(`${status} ${JSON.stringify(body)}`)
    return false
  }

  async function takeTurn(agent: ChatAgent, sessionId: string | undefined): Promise<string | undefined> {
    const { prompt, word, keys } = plan()
    const asked = { capabilityId: agent.capabilityId, prompt, ...(sessionId && { sessionId }) }
    const answer = await box.call('POST', '/executions', asked)
    if (!isAcknowledged(answer)) {
      await wait(300)
      return sessionId
    }
    const { id, sessionId: taken } = answer.body.data
    const turn: ChatTurn = { id, sessionId: taken, word, keys, words: [] }
    turns.push(turn)
    if (random.below(3) === 0) await interject(turn)
    for (let isOver = false; !isOver && chatting; await wait(200)) {
      const read = await box.call('GET', `/executions/${id}`).catch(() => undefined)
      isOver = Boolean(read?.body?.data?.endedAt)
    }
    return taken
  }

  /** Says something in the middle of it; when it is over by then, that is the next turn. */
  async function interject({ id, words }: ChatTurn): Promise<void> {
    await wait(random.below(400))
    const text = `by-the-way-${id}`
    const answer = await box.call('POST', `/executions/${id}/messages`, { text })
    if (isAcknowledged(answer)) words.push(text)
  }

  async function lane(agent: ChatAgent): Promise<void> {
    let sessionId: string | undefined
    while (chatting) {
      sessionId = await takeTurn(agent, sessionId).catch(() => sessionId) // web was away
      if (random.below(4) === 0) sessionId = undefined
    }
  }

  /** Answers go on to the end: a turn whose question nobody answers would wait for ever. */
  async function answerAll(): Promise<void> {
    for (; answering; await wait(150)) {
      const { body } = await box.call('GET', '/approvals?status=waiting').catch(() => ({ body: undefined }))
      for (const { id } of body?.data ?? []) {
        const decision = random.below(4) === 0 ? 'refused' : 'granted'
        await box.call('POST', `/approvals/${id}`, { decision }).catch(() => undefined)
      }
    }
  }

  const chatted = Promise.all(agents.map(lane))
  const answered = answerAll()
  return {
    turns,
    refusals,
    async stopChatting() {
      chatting = false
      await chatted
    },
    async stopAnswering() {
      answering = false
      await answered
    },
  }
}
