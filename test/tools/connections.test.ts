import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findMarked } from '#lib/marked-processes.ts'
import { sourcesMark } from '#tools/mcp/strays.ts'
import {
  allSources,
  areHealthy,
  areToldOf,
  byStdio,
  cutSources,
  isCut,
  startThousand,
} from '../support/thousand-sources.ts'

// The figures are printed here, and held by bench/tools/connections.bench.ts.

test('a thousand upstreams are connected at once; three hundred are cut, told of, and return; no process is left', async () => {
  const { signalbox, write, until, memory, cut, mend, stop } = await startThousand(2)
  let stopped: Promise<void> | undefined
  onTestFinished(() => (stopped ??= stop()))
  const print = (text: string) => void process.stdout.write(`${text}\n`)
  await until(areHealthy(2))
  const before = memory()

  const begun = performance.now()
  const took = () => `${Math.round(performance.now() - begun)} ms`
  await write(allSources)
  await until(({ summary }) => summary.total === allSources)
  print(`${allSources} sources of the file were registered after ${took()}`)
  await until(areHealthy(allSources))
  print(`${allSources} are healthy after ${took()}`)
  // What was only needed to get there has gone by then.
  await wait(1_000)
  const each = Math.round((memory() - before) / allSources)
  print(`${allSources} connections: ${each} KB of the worker's memory for each`)
  expect(each).toBeLessThan(1_000)
  const { namespaces } = (await signalbox.call('GET', '/tools')).body.data
  // Our own are there as well.
  const ofSources = Object.entries<{ tools: object[] }>(namespaces).filter(
    ([name]) => !['board', 'workspace', 'code'].includes(name),
  )
  expect(ofSources.filter(([, { tools }]) => tools.length === 1)).toHaveLength(allSources)
  expect(findMarked(sourcesMark, [signalbox.home])).toHaveLength(byStdio)

  const cutAt = await cut()
  const { servers } = await until(areToldOf(cutAt))
  print(`${cutSources} were cut, and the last of them told of after ${Date.now() - cutAt} ms`)
  const spared = servers.filter((one) => !isCut(one))
  expect(spared.filter(({ status, error }) => status !== 'healthy' || error !== null)).toEqual([])

  const mendedAt = Date.now()
  await mend()
  await until(areHealthy(allSources))
  print(`they are back ${Date.now() - mendedAt} ms after they could be`)
  await (stopped ??= stop())
  expect(findMarked(sourcesMark, [signalbox.home])).toEqual([])
}, 300_000)
