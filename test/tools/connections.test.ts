import { setTimeout as wait } from 'node:timers/promises'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import type { SourceHealth } from '#contract/source.ts'
import { newId } from '#lib/id.ts'
import { findMarked } from '#lib/marked-processes.ts'
import { openMcpSource } from '#tools/mcp/open.ts'
import { sourcesMark } from '#tools/mcp/strays.ts'
import type { Registry } from '#tools/port.ts'
import { openRegistry } from '#tools/registry.ts'
import { startProgram } from '../support/start-program.ts'

const [byHttp, byStdio, cutHttp, cutStdio] = [950, 50, 285, 15]
const all = byHttp + byStdio
const tiny = join(import.meta.dirname, 'programs/tiny-server.sh')
const patient = { timeout: 60_000, interval: 50 }

const isOfStdio = ({ name }: SourceHealth) => name.startsWith('stdio')
const isCut = (one: SourceHealth) => Number(one.name.split('-')[1]) < (isOfStdio(one) ? cutStdio : cutHttp)
const healthy = (registry: Registry) =>
  vi.waitFor(() => {
    const ill = registry.health().filter(({ status }) => status !== 'healthy')
    if (ill.length > 0) throw new Error(`${ill.length} are not healthy: ${JSON.stringify(ill[0])}`)
  }, patient)

test('a thousand upstreams are connected at once; three hundred are cut, told of within 5 s, and return; no process is left', async () => {
  const upstreams = await startProgram('many-upstreams')
  const home = `test-${newId()}`
  const registry = openRegistry(handsOfNobody)
  onTestFinished(() => registry.close())
  const before = memory()
  for (const [name, config] of thousand(upstreams)) {
    const spec = { name, config, home, version: '0.0.0', log: pino({ enabled: false }) }
    registry.put(openMcpSource(spec), config)
  }
  await healthy(registry)
  expect(registry.health()).toHaveLength(all)
  // What was only needed to get there has gone by then.
  await wait(1_000)
  const [heap, resident] = memory().map((bytes, at) => Math.round((bytes - (before[at] ?? 0)) / all / 1024))
  process.stdout.write(`${all} connections: ${heap} KB of heap and ${resident} KB of memory for each\n`)
  expect(resident).toBeLessThan(1_000)
  expect(findMarked(sourcesMark, [home])).toHaveLength(byStdio)

  const cutAt = Date.now()
  await fetch(`${upstreams}/cut?below=${cutHttp}`, { method: 'POST' })
  for (const { pid } of registry.health().filter((one) => isOfStdio(one) && isCut(one)))
    process.kill(pid ?? Number.NaN, 'SIGKILL')
  const longest = await vi.waitFor(() => {
    const times = registry
      .health()
      .filter(isCut)
      .map(({ errorAt }) => Date.parse(errorAt ?? '') - cutAt)
    expect(times.filter((time) => time >= 0)).toHaveLength(cutHttp + cutStdio)
    return Math.max(...times)
  }, patient)
  process.stdout.write(`${cutHttp + cutStdio} were cut, and the last of them told of after ${longest} ms\n`)
  expect(longest).toBeLessThan(5_000)
  const spared = registry.health().filter((one) => !isCut(one))
  expect(spared.filter(({ status, error }) => status !== 'healthy' || error !== null)).toEqual([])

  await fetch(`${upstreams}/mend`, { method: 'POST' })
  await healthy(registry)
  await registry.close()
  expect(findMarked(sourcesMark, [home])).toEqual([])
})

function thousand(upstreams: string): [string, SourceConfig][] {
  const retryPolicy = { maxDelay: 2_000 }
  return [
    ...Array.from({ length: byHttp }, (_, at): [string, object] => [
      `http-${at}`,
      { transport: 'http', url: `${upstreams}/s/${at}` },
    ]),
    ...Array.from({ length: byStdio }, (_, at): [string, object] => [
      `stdio-${at}`,
      { transport: 'stdio', command: '/bin/sh', args: [tiny] },
    ]),
  ].map(([name, config]) => [name, SourceConfig.parse({ ...config, retryPolicy })])
}

const memory = (): number[] => {
  const { heapUsed, rss } = process.memoryUsage()
  return [heapUsed, rss]
}

const handsOfNobody = {
  pins: { of: async () => new Map<string, string>(), put: async () => {} },
  approve: async () => {},
  note: async () => {},
}
