import { expect, test } from 'vitest'
import type { Caller } from '../port.ts'
import { openLogLevels } from './log-levels.ts'

const person = (id: string): Caller => ({ kind: 'person', id, isOwner: false })
const [ada, bob, eve] = [person('ada'), person('bob'), person('eve')]

function heard(levels: ReturnType<typeof openLogLevels>, caller: Caller): unknown[] {
  const lines: unknown[] = []
  const hands = { signal: AbortSignal.timeout(1_000), onLog: (line: object) => lines.push(line) }
  const { onLog } = levels.heardBy(caller, hands)
  for (const level of ['debug', 'info', 'error']) onLog?.({ level })
  return lines
}

test('everybody hears what they asked for, and the upstream is asked for the most that anybody wants', () => {
  const levels = openLogLevels()
  expect(heard(levels, ada)).toHaveLength(3)
  levels.set(ada, 'debug')
  levels.set(bob, 'error')
  levels.set(eve, 'whatever')
  expect([levels.of(ada), levels.of(bob), levels.of(eve)]).toEqual(['debug', 'error', 'info'])
  expect(levels.mostDetailed()).toBe('debug')
  expect(heard(levels, ada)).toHaveLength(3)
  expect(heard(levels, bob)).toEqual([{ level: 'error' }])
  expect(heard(levels, eve)).toEqual([{ level: 'info' }, { level: 'error' }])
  levels.set(ada, 'warning')
  // Those who have said nothing want to hear what is usual.
  expect(levels.mostDetailed()).toBe('info')
})

test('of callers without number the latest are remembered', () => {
  const levels = openLogLevels()
  for (let at = 0; at < 2_000; at += 1) levels.set(person(`p${at}`), 'debug')
  expect([levels.of(person('p0')), levels.of(person('p1999'))]).toEqual(['info', 'debug'])
})
