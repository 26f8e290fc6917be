import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Tool } from '#contract/tool.ts'
import { openCodeMode } from './open.ts'
import type { CodeModeSettings } from './open.ts'
import { CodeBusy } from './port.ts'
import type { CodeApi, CodeHands, CodeMode, CodeWanted } from './port.ts'

const patience = { timeout: 20_000, interval: 20 }
const MB = 1024 ** 2
const endings: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

function open(more: Partial<CodeModeSettings> = {}): CodeMode {
  const threads = { min: 1, max: 1, idleMs: 1_000 }
  const mode = openCodeMode({
    threads,
    mostMemoryBytes: 64 * MB,
    mostWaiting: 5,
    mostWaitingOfOne: 2,
    ...more,
  })
  endings.push(() => mode.close())
  return mode
}

const post: Tool = {
  name: 'slack.post',
  wireName: 'slack__post',
  description: '',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: {},
  source: 'slack',
  version: '1',
  tags: [],
  deprecated: false,
  definition: 'pinned',
}
const wantedOf = (code: string, api: CodeApi, more: Partial<CodeWanted> = {}): CodeWanted => ({
  owner: 'me',
  code,
  isTypeScript: true,
  isChecked: true,
  api,
  timeoutMs: 20_000,
  memoryBytes: 32 * MB,
  cpuQuota: 1,
  context: { a: 1 },
  clockMs: null,
  seed: [1, 2, 3, 4],
  ...more,
})
const hands: CodeHands = {
  call: async (_call, _kind, name, given) => ({ name, given }),
  log: () => undefined,
}

describe('code mode', () => {
  it('checks, strips and runs', async () => {
    const mode = open()
    const api = mode.api([post])
    const code = 'const text: string = `a${context.a}`\nreturn mcp.slack.post({ text })'
    expect(await mode.run(wantedOf(code, api), hands).ended).toMatchObject({
      isFine: true,
      result: { name: 'slack.post', given: [{ text: 'a1' }] },
      meter: { calls: 1 },
    })
    expect(await mode.run(wantedOf('return mcp.slack.post({ text: 5 })', api), hands).ended).toMatchObject({
      type: 'validation',
      code: 'TYPE_ERROR',
      details: {
        diagnostics: [
          {
            line: 1,
            column: 25,
            message: expect.stringContaining("Type 'number' is not assignable to type 'string'"),
            suggestion: 'It is called as mcp.slack.post(args: { text: string }) or post(text: string)',
          },
        ],
      },
      meter: { calls: 0 },
    })
  })

  it('tells what is wrong with code without running it', async () => {
    const mode = open()
    const api = mode.api([post])
    const check = (code: string, owner = 'me') =>
      mode.check({ owner, code, api }, AbortSignal.timeout(20_000))
    expect(await check('return mcp.slack.post({ text: "a" })')).toEqual([])
    expect(mode.load()).toMatchObject({ busy: 0, live: 0 })
    expect(await check('const a: number = 1\nreturn mcp.slack.pots({})')).toMatchObject([
      { line: 2, column: 18, message: expect.stringContaining('pots') },
    ])
    expect(await check('return (')).toMatchObject([{ line: 1, message: expect.any(String) }])
    const many = [1, 2, 3, 4].map((at) => check(`return ${at}`))
    expect((await Promise.allSettled(many)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
    await expect(many[3]).rejects.toThrow(CodeBusy)
    await mode.close()
    await expect(check('return 9')).rejects.toThrow(CodeBusy)
  })

  it('does not look at the same code twice, but at the same code against other tools', async () => {
    const mode = open({ checkerIdleMs: 10 })
    const api = mode.api([post])
    const code = 'return mcp.slack.post({ text: "a" })'
    await mode.run(wantedOf(code, api), hands).ended
    const again = mode.run(wantedOf(code, api), hands)
    expect(mode.load()).toMatchObject({ busy: 1, waiting: 0 })
    expect(await again.ended).toMatchObject({ isFine: true })
    expect(await mode.run(wantedOf(code, mode.api([])), hands).ended).toMatchObject({ code: 'TYPE_ERROR' })
    expect(await mode.run(wantedOf(code, mode.api([]), { isChecked: false }), hands).ended).toMatchObject({
      isFine: true,
    })
  })

  it('lets nobody in when too many wait, in their check and in their queue', async () => {
    const mode = open()
    const api = mode.api([])
    const checked = [1, 2, 3].map((at) => mode.run(wantedOf(`return ${at}`, api), hands))
    expect(() => mode.run(wantedOf('return 4', api), hands)).toThrow(CodeBusy)
    const others = mode.run(wantedOf('return 4', api, { owner: 'you' }), hands)
    expect(await Promise.all([...checked, others].map((run) => run.ended))).toMatchObject(
      [1, 2, 3, 4].map((result) => ({ isFine: true, result })),
    )
    await mode.close()
    expect(() => mode.run(wantedOf('return 5', api), hands)).toThrow(CodeBusy)
  })

  it('takes up what was frozen over another image, when it is given it', async () => {
    const old = open({ mostMemoryBytes: 48 * MB })
    const { promise: isCalled, resolve: onCall } = Promise.withResolvers<void>()
    const waiting: CodeHands = {
      ...hands,
      call: () => {
        onCall()
        return new Promise(() => {})
      },
    }
    const run = old.run(
      wantedOf('const a: number = await mcp.slack.post("a")\nreturn a + 1', old.api([post])),
      waiting,
    )
    await isCalled
    const frozen = (await run.freeze())!
    const stored = (await old.image(frozen.image))!
    const mode = open()
    const more = { owner: 'me', outcomes: [{ call: 1, value: 41 }] }
    expect(await mode.image(frozen.image)).toBeUndefined()
    await expect(mode.thaw(frozen, hands, more)).rejects.toThrow('an image that is not here')
    const thawed = await mode.thaw(frozen, hands, { ...more, stored })
    expect(await thawed.ended).toMatchObject({
      isFine: true,
      result: 42,
    })
  })

  it('reads declarations that were written by hand, and tells which it leaves out', async () => {
    const definitions = mkdtempSync(join(tmpdir(), 'signalbox-declarations-'))
    endings.push(() => rmSync(definitions, { recursive: true }))
    writeFileSync(
      join(definitions, 'slack.d.ts'),
      'interface SlackTools { post(args: { text: "hi" }): Promise<5> }',
    )
    writeFileSync(join(definitions, 'broken.d.ts'), 'interface BrokenTools {')
    const notes: string[] = []
    const mode = open({ definitions, onNote: (note) => notes.push(note) })
    await vi.waitFor(() => expect(mode.api([post]).text).toContain('"hi"'), patience)
    expect(notes).toEqual([expect.stringContaining('broken.d.ts are left out')])
    const code = 'const five: 5 = await mcp.slack.post({ text: "hi" }); return five'
    expect(await mode.run(wantedOf(code, mode.api([post])), hands).ended).toMatchObject({ isFine: true })
  })
})
