import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import type { SessionFacts } from '#contract/agent-event.ts'
import type { AgentEvent } from '../port.ts'
import { withFake } from '../../../test/support/fake-claude.ts'

const sessionRef = 'fcf03cc8-2b85-427d-8a94-89eddc1f7dbe'
const factsIn = (events: AgentEvent[]): SessionFacts =>
  Object.assign({}, ...events.map((event) => (event.type === 'session' ? event.facts : {})))
const argsIn = (told: Record<string, unknown>[]) =>
  told.flatMap(({ args }) => (args ? [(args as string[]).join(' ')] : []))

it('begins a new session under an id of ours', () =>
  withFake('resumed', async ({ turn, told }) => {
    const first = (await turn('go')).events.find((event) => event.type === 'session')
    expect(first?.facts).toMatchObject({ began: 'new', sessionRef: expect.any(String) })
    expect(first?.facts.note).toBeUndefined()
    expect(argsIn(told())).toEqual([expect.stringContaining(`--session-id ${first?.facts.sessionRef}`)])
  }))

it('resumes the session that it is told', () =>
  withFake(
    'resumed',
    async ({ turn, told }) => {
      expect(factsIn((await turn('go')).events)).toMatchObject({ began: 'resumed', sessionRef })
      expect(argsIn(told())).toEqual([expect.stringContaining(`--resume ${sessionRef}`)])
    },
    { sessionRef, isContinued: true },
  ))

it('forks it, and learns the id of the copy from Claude', () =>
  withFake(
    'two-messages-one-result',
    async ({ agent, turn, told }) => {
      const going = turn('go', (event) => {
        if (event.type === 'session' && event.facts.model) void agent.tell({ type: 'interrupt', payload: {} })
      })
      await agent.stop(1_000)
      const facts = factsIn((await going).events)
      expect(facts.began).toBe('forked')
      expect(argsIn(told())).toEqual([expect.stringContaining(`--resume ${sessionRef} --fork-session`)])
    },
    { sessionRef, isContinued: true, fork: true },
  ))

it('says that a new one begins when Claude does not know the session', () =>
  withFake(
    ['two-turns', 'resume-unknown'],
    async ({ turn, told }) => {
      const { end, events } = await turn('go')
      expect(end.reason).toBe('completed')
      expect(events.find((event) => event.type === 'session')?.facts).toMatchObject({
        began: 'new',
        note: 'Claude Code knows nothing of session 11111111-2222-4333-8444-555555555555: a new session begins, without what was said before',
      })
      expect(argsIn(told())).toEqual([
        expect.stringContaining('--resume'),
        expect.stringContaining('--session-id'),
      ])
    },
    { sessionRef: '11111111-2222-4333-8444-555555555555', isContinued: true },
  ))

it('says so too when what is to be resumed is unknown, or can be no session of Claude', async () => {
  const note = async (turn: object) => {
    let said = ''
    await withFake(
      'resumed',
      async (opened) => {
        said = factsIn((await opened.turn('go')).events).note ?? ''
        expect(argsIn(opened.told())[0]).not.toContain('--resume')
      },
      turn,
    )
    return said
  }
  expect(await note({ isContinued: true })).toContain('There is nothing to resume')
  expect(await note({ isContinued: true, sessionRef: '--help' })).toContain(
    '--help is no session of Claude Code',
  )
})

test.each([
  [
    'session-id-in-use',
    'Claude Code did not start: Error: Session ID aaaaaaaa-bbbb-4ccc-8ddd-794771271993 is already in use.',
  ],
  [
    'bypass-as-root',
    'Claude Code did not start: --dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons.',
  ],
])('%s is told before anything starts', async (recording, message) => {
  await expect(withFake(recording, () => Promise.resolve())).rejects.toThrow(message)
})

it('switches model and mode, tells what came of it, and tells when Claude refuses', () =>
  withFake('mode-refused', async ({ agent, turn, told }) => {
    const to = (payload: { model?: string; mode?: string }) => agent.tell({ type: 'mode', payload })
    expect(await to({ mode: 'default' })).toEqual({ outcome: 'delivered' })
    expect(await to({ mode: 'bypassPermissions' })).toEqual({
      outcome: 'refused',
      reason:
        'Cannot set permission mode to bypassPermissions because the session was not launched with --dangerously-skip-permissions',
    })
    expect(await to({ mode: 'nonsense' })).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('must be one of'),
    })
    expect(await to({ model: 'other' })).toEqual({ outcome: 'delivered' })
    const asked = () =>
      told().flatMap(({ request }) => (request ? [(request as { subtype: string }).subtype] : []))
    const before = asked().length
    expect(await to({ model: 'other' })).toEqual({ outcome: 'delivered' })
    expect(asked()).toHaveLength(before)
    expect(await to({ model: 'default' })).toEqual({ outcome: 'delivered' })
    await agent.stop(1_000)
    expect(factsIn((await turn('go')).events)).toMatchObject({ model: 'claude-opus-5-5', mode: 'default' })
    expect(await to({ mode: 'plan' })).toEqual({ outcome: 'refused', reason: 'The agent is gone.' })
  }))

it('skips lines that are no messages, tells of them, and goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'garbled-'))
  const recorded = readFileSync(join(import.meta.dirname, 'fixtures/two-turns.ndjson'), 'utf8').split('\n')
  const garbage = ['Segmentation fault?', '[1,2]', '{"type":"assistant"}', '{"no":"type"}'].map((text) =>
    JSON.stringify({ dir: 'raw', text }),
  )
  const file = join(folder, 'garbled.ndjson')
  writeFileSync(file, recorded.toSpliced(4, 0, ...garbage).join('\n'))
  try {
    await withFake(file, async ({ turn, lines }) => {
      const { end, events } = await turn('go')
      expect(end.reason).toBe('completed')
      const notices = events.flatMap((event) =>
        event.type === 'chunk' && event.chunk.type === 'data-notice' ? [event.chunk['data']] : [],
      )
      expect(notices).toHaveLength(4)
      expect(notices.at(-1)).toEqual({
        text: `Skipped a line of Claude Code's that is no message (4 so far): {"no":"type"}`,
        malformed: 4,
      })
      expect(lines).toContain('out Segmentation fault?')
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
