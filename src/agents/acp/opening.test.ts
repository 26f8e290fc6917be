import { afterEach, beforeEach, expect, it } from 'vitest'
import { NotStarted } from '#lib/program.ts'
import { AcpStage, HeardTurn } from '../../../test/support/scripted-acp/open.ts'
import type { Options } from '../../../test/support/scripted-acp/open.ts'

let stage: AcpStage
beforeEach(() => {
  stage = new AcpStage()
})
afterEach(() => stage.close())

/** What the first turn says of its session, and all that it says. */
async function firstTurn(options: Options) {
  const agent = await stage.open(options)
  const turn = new HeardTurn(agent, 'say next')
  await turn.end
  const [first] = turn.of('session')
  return { turn, facts: first!.facts }
}

async function begunSession(): Promise<string> {
  const agent = await stage.open()
  const turn = new HeardTurn(agent, 'say before\ntool search hits')
  await turn.end
  await agent.stop(1000)
  return turn.of('session')[0]!.facts.sessionRef!
}

it('resumes if the agent can', async () => {
  const sessionRef = await begunSession()
  const { facts, turn } = await firstTurn({ turn: { sessionRef, isContinued: true } })
  expect(facts).toMatchObject({ sessionRef, began: 'resumed' })
  expect(facts).not.toHaveProperty('note')
  expect(turn.text()).toBe('next')
})

it('loads if it cannot resume, and does not tell the history again, be it before the answer or after', async () => {
  for (const late of ['0', '1']) {
    const sessionRef = await begunSession()
    const { facts, turn } = await firstTurn({
      turn: { sessionRef, isContinued: true },
      env: { SCRIPTED_CAN: 'load', SCRIPTED_REPLAYS_LATE: late },
    })
    expect(facts).toMatchObject({ sessionRef, began: 'loaded' })
    expect(turn.text()).toBe('next')
    expect(turn.chunks('tool-input-start')).toEqual([])
  }
})

it('goes on in a copy if it can', async () => {
  const sessionRef = await begunSession()
  const { facts } = await firstTurn({ turn: { sessionRef, isContinued: true, fork: true } })
  expect(facts.began).toBe('forked')
  expect(facts.sessionRef).not.toBe(sessionRef)
})

it('never begins anew without saying so', async () => {
  const sessionRef = await begunSession()
  const begins: [Options, string][] = [
    [
      { turn: { sessionRef: 'gone', isContinued: true } },
      'The agent does not know session gone any more (No session gone): a new one begins.',
    ],
    [
      { turn: { sessionRef, isContinued: true }, env: { SCRIPTED_CAN: '' } },
      'This agent cannot take up a session again: a new one begins.',
    ],
    [
      { turn: { sessionRef, isContinued: true, fork: true }, env: { SCRIPTED_CAN: 'load resume' } },
      'This agent cannot copy a session: a new one begins.',
    ],
    [{ turn: { isContinued: true } }, 'Nobody knows what the agent called its session: a new one begins.'],
  ]
  for (const [options, note] of begins)
    expect((await firstTurn(options)).facts).toMatchObject({ began: 'new', note })
})

it('leaves the cost of a turn open while it does not know what the session cost before', async () => {
  const sessionRef = await begunSession()
  const agent = await stage.open({ turn: { sessionRef, isContinued: true } })
  const first = new HeardTurn(agent, 'cost 0.5')
  await first.end
  expect(first.of('usage').at(-1)?.usage.costUsd).toBe(null)
  const second = new HeardTurn(agent, 'cost 0.75')
  await second.end
  expect(second.of('usage').at(-1)?.usage.costUsd).toBe(0.25)
})

it('counts the cost of the first turn from what is known of those before', async () => {
  const sessionRef = await begunSession()
  const costOf = async (turn: object) => {
    const agent = await stage.open({ turn: { sessionRef, isContinued: true, ...turn } })
    const first = new HeardTurn(agent, 'cost 0.5')
    await first.end
    return first.of('usage').at(-1)?.usage.costUsd
  }
  expect(await costOf({ spentUsd: 0.3 })).toBe(0.2)
  // Others may have spent it: before the session was ours, or in the one that it is a copy of.
  expect(await costOf({ spentUsd: 0 })).toBe(null)
  expect(await costOf({ spentUsd: 0.3, fork: true })).toBe(null)
})

it('notes of servers of tools what they are, and none of their secrets', async () => {
  await stage.open({
    turn: {
      mcpServers: [
        {
          type: 'stdio',
          name: 'files',
          command: '/bin/files',
          args: ['--token=s3cret'],
          env: { KEY: 's3cret' },
        },
        { type: 'http', name: 'web', url: 'http://x/?key=s3cret', headers: { Authorization: 's3cret' } },
      ],
    },
  })
  const noted = stage.frames.map(({ line }) => line).join('\n')
  expect(noted).toContain('"name":"files","command":"/bin/files"')
  expect(noted).not.toContain('s3cret')
  expect(JSON.stringify(stage.received('session/new')).match(/s3cret/g)).toHaveLength(4)
})

it('says what to do when the agent is not logged in', async () => {
  const notLoggedIn = (name?: string) =>
    stage.open({ env: { SCRIPTED_NEEDS_LOGIN: '1', ...(name && { SCRIPTED_NAME: name }) } })
  await expect(notLoggedIn()).rejects.toThrow(
    new NotStarted('scripted is not logged in (Authentication required): Run `scripted login`.'),
  )
  await expect(notLoggedIn('OpenCode')).rejects.toThrow(/run `opencode auth login` in a terminal/)
  await expect(
    stage.open({ turn: { sessionRef: 'some', isContinued: true }, env: { SCRIPTED_NEEDS_LOGIN: '1' } }),
  ).rejects.toThrow('is not logged in')
})

it('says why the agent did not come up', async () => {
  await expect(stage.open({ env: { SCRIPTED_DIES_AT_START: '1' } })).rejects.toThrow(
    new NotStarted(
      `${process.execPath} ended with code 3 before it began a session: This machine is too old for me`,
    ),
  )
  await expect(stage.open({ env: { SCRIPTED_IS_MUTE: '1' }, patience: { openMs: 500 } })).rejects.toThrow(
    new NotStarted(`${process.execPath} did not begin a session within 0.5 s.`),
  )
})

it('begins in the folder of the launch, with the model and the mode that were asked for', async () => {
  const { facts } = await firstTurn({ turn: { model: 'large', mode: 'edit' } })
  expect(facts).toMatchObject({ model: 'small', mode: 'ask' })
  expect(stage.received('session/new')).toMatchObject([{ params: { cwd: stage.folder, mcpServers: [] } }])
  expect(stage.received('session/set_model')).toMatchObject([{ params: { modelId: 'large' } }])
  expect(stage.received('session/set_mode')).toMatchObject([{ params: { modeId: 'edit' } }])
})

it('does not begin in another mode than was asked for', async () => {
  await expect(stage.open({ turn: { mode: 'impossible' } })).rejects.toThrow(
    new NotStarted('The agent does not take the mode impossible: Invalid params: not possible'),
  )
})

it('switches model and mode in either of the two forms, and says truthfully what became of it', async () => {
  for (const [hasOptions, method] of [
    ['0', 'session/set_model'],
    ['1', 'session/set_config_option'],
  ] as const) {
    const agent = await stage.open({ env: { SCRIPTED_HAS_OPTIONS: hasOptions } })
    expect(await agent.tell({ type: 'mode', payload: { model: 'large' } })).toEqual({ outcome: 'delivered' })
    expect(stage.received(method)).toHaveLength(1)
    expect(await agent.tell({ type: 'mode', payload: { mode: 'impossible' } })).toEqual({
      outcome: 'refused',
      reason: 'The agent does not take the mode impossible: Invalid params: not possible',
    })
    const turn = new HeardTurn(agent, 'say next')
    await turn.end
    expect(turn.of('session').map(({ facts }) => facts.model)).toEqual(['small', 'large'])
  }
})

it('hands over servers of tools in the agent’s own form, and says which it leaves out', async () => {
  const stdio = {
    type: 'stdio' as const,
    name: 'files',
    command: '/bin/files',
    args: ['-v'],
    env: { KEY: 'v' },
  }
  const http = { type: 'http' as const, name: 'web', url: 'http://127.0.0.1:1/', headers: { A: 'b' } }
  await stage.open({ turn: { mcpServers: [stdio, http] } })
  const { turn } = await firstTurn({ turn: { mcpServers: [stdio, http] }, env: { SCRIPTED_CAN: '' } })
  const inItsForm = { name: 'files', command: '/bin/files', args: ['-v'], env: [{ name: 'KEY', value: 'v' }] }
  expect(stage.received('session/new').map(({ params }) => params?.['mcpServers'])).toEqual([
    [
      inItsForm,
      { type: 'http', name: 'web', url: 'http://127.0.0.1:1/', headers: [{ name: 'A', value: 'b' }] },
    ],
    [inItsForm],
  ])
  expect(turn.chunks('data-notice')).toEqual([
    { type: 'data-notice', data: { text: 'This agent takes no tools over HTTP: web was left out.' } },
  ])
})

it('gets our own tools over HTTP, or by a program of ours where it takes none, or is told that they are left out', async () => {
  const program = { command: '/bin/signalbox', args: ['mcp'] }
  const ownTools = { url: 'http://box:1/mcp', token: 'hidden-token' }
  const taken = { type: 'http' as const, name: 'signalbox', url: 'http://other', headers: {} }
  await stage.open({ turn: { mcpServers: [taken], ownTools: { ...ownTools, program } } })
  await stage.open({ turn: { ownTools: { ...ownTools, program } }, env: { SCRIPTED_CAN: '' } })
  const { turn } = await firstTurn({ turn: { ownTools }, env: { SCRIPTED_CAN: '' } })
  expect(stage.received('session/new').map(({ params }) => params?.['mcpServers'])).toEqual([
    [
      {
        type: 'http',
        name: 'signalbox',
        url: ownTools.url,
        headers: [{ name: 'Authorization', value: 'Bearer hidden-token' }],
      },
    ],
    [
      {
        name: 'signalbox',
        ...program,
        env: [
          { name: 'SIGNALBOX_URL', value: 'http://box:1' },
          { name: 'SIGNALBOX_TOKEN', value: 'hidden-token' },
        ],
      },
    ],
    [],
  ])
  expect(turn.chunks('data-notice')).toHaveLength(1)
  expect(JSON.stringify(stage.frames)).not.toContain('hidden-token')
})
