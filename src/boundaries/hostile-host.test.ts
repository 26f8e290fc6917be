import { readdirSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestLine } from '../../test/support/host-line.ts'
import type { TestLine } from '../../test/support/host-line.ts'

// Whoever has taken a host over can say anything to the keeper. None of it may stop, crash or fill the keeper.

let opened: TestLine | undefined
const open = async (hostile: string) => (opened = await openTestLine({ hostile, patienceMs: 2_000 }))
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

const soon = () => AbortSignal.timeout(3_000)
const program = { file: '/bin/true', argv: [], env: {}, cwd: '/' }

describe('before it serves, a host', () => {
  it.each([
    ['says nothing'],
    ['never ends its first line'],
    ['speaks another protocol'],
    ['says garbage first'],
  ])('that %s is not taken for one', async (hostile) => {
    await expect(open(hostile)).rejects.toThrow(/did not answer within/)
  })

  it('that dials without end takes no more than its share, and is served', async () => {
    const held = () => readdirSync('/proc/self/fd').length
    const before = held()
    const { line } = await open('dials without end')
    await expect.poll(held, { timeout: 20_000 }).toBeGreaterThan(before + 200)
    for (let n = 0; n < 100; n += 1) expect(await line.health()).toEqual({ status: 'ok' })
    expect(held()).toBeLessThan(before + 300)
  })

  it('that is there twice is heard once', async () => {
    const { line, log } = await open('is there twice')
    await expect.poll(() => log.join('\n'), { timeout: 20_000 }).toContain('another host is connected')
    expect(await line.health()).toEqual({ status: 'the first' })
  })
})

describe('a call of a tool, when the host', () => {
  it.each([
    ['serves garbage', /put up anew/],
    ['answers nothing', /did not answer in time/],
    ['answers with half an answer', /put up anew/],
    ['answers with something else', /put up anew/],
    ['refuses in a strange way', /put up anew/],
    ['has endless headers', /put up anew/],
  ])('%s, ends clearly', async (hostile, message) => {
    const { line } = await open(hostile)
    await expect(line.call('read', {}, soon())).rejects.toThrow(message)
  })

  it('answers without end, ends at 64 MB', async () => {
    const { line } = await open('answers without end')
    const before = process.memoryUsage().rss
    await expect(line.call('read', {}, AbortSignal.timeout(15_000))).rejects.toThrow(/larger than 64 MB/)
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(400)
  })

  it.each([['streams garbage'], ['streams without a line'], ['hangs up in a stream']])(
    '%s, ends with an error',
    async (hostile) => {
      const { line } = await open(hostile)
      const pieces = []
      const asked = { command: 'true', timeout: 1_000, stream: true }
      for await (const piece of line.stream(asked, AbortSignal.timeout(15_000))) pieces.push(piece)
      expect(pieces.at(-1)).toMatchObject({ type: 'error', error: { code: 'workspace_not_running' } })
    },
  )
})

describe('a connection to a port, when the host', () => {
  const silent = /does not answer for port 8000/

  it('answers nothing, is given up', async () => {
    const { line } = await open('answers nothing')
    await expect(line.connect(8000)).rejects.toThrow(silent)
  }, 30_000)

  it('goes before it answers, is over', async () => {
    const { line, host } = await open('answers nothing')
    const asked = line.connect(8000)
    host.kill('SIGKILL')
    await expect(asked).rejects.toThrow(silent)
  })
})

describe('a program, when the host', () => {
  it.each([['lies about sizes'], ['says frames that there are not'], ['ends a program strangely']])(
    '%s, is over, and everything is taken down',
    async (hostile) => {
      const { line, takenDown } = await open(hostile)
      const running = await line.start(program, 'one')
      expect(await running.exited).toEqual({ exitCode: null, signal: 'SIGKILL' })
      expect(takenDown).toEqual([expect.stringMatching(/speaks no sense/)])
    },
  )

  it('starts a program without a pid, was not started', async () => {
    const { line, takenDown } = await open('starts a program without a pid')
    await expect(line.start(program, 'one')).rejects.toThrow(/came down/)
    expect(takenDown).toHaveLength(1)
  })

  it('ends nothing, is ended with everything', async () => {
    const { line, takenDown } = await open('ends nothing')
    const running = await line.start(program, 'one')
    expect(await running.end(0)).toBe(true)
    expect(takenDown).toEqual([expect.stringMatching(/could not be proven dead/)])
    expect(await running.exited).toMatchObject({ exitCode: null })
  })
})
