import { expect, test } from 'vitest'
import { until } from '../../../test/support/gate.ts'
import type { Noted } from './audit-file.ts'
import { openRefusals } from './refusals.ts'

const refused = (subject: string, reason = 'its egress is none'): Noted => ({
  kind: 'egress',
  workspaceId: '01890000-0000-7000-8000-000000000001',
  sessionId: null,
  subject,
  outcome: 'refused',
  detail: { method: 'CONNECT', reason },
  durationMs: 1,
})

function openBook(pace?: Parameters<typeof openRefusals>[1]) {
  const told: string[] = []
  const write = ({ subject, detail: { reason, times } }: Noted) =>
    told.push(`${subject} ${String(reason)}${typeof times === 'number' ? ` ${times}` : ''}`)
  const refusals = openRefusals({ note: write, noteInTime: write }, pace)
  return { told, refusals }
}

test('the first is noted at once, further ones as one when the time is over, and then it begins anew', async () => {
  const { told, refusals } = openBook({ windowMs: 50, mostPlaces: 10 })
  for (const subject of ['a:443', 'b:443', 'a:443', 'a:443']) refusals.note(refused(subject, 'no'))
  expect(told).toEqual(['a:443 no', 'b:443 no'])
  await until(() => told.length === 3)
  expect(told[2]).toBe('a:443 no 2')
  refusals.note(refused('a:443', 'no'))
  expect(told[3]).toBe('a:443 no')
  refusals.close()
  expect(told).toHaveLength(4)
})

test('another reason is another refusal', () => {
  const { told, refusals } = openBook()
  refusals.note(refused('a:443', 'its egress is none'))
  refusals.note(refused('a:443', 'it is not in the list'))
  expect(told).toEqual(['a:443 its egress is none', 'a:443 it is not in the list'])
  refusals.close()
})

test('of more places than are told by their names there is a number', () => {
  const { told, refusals } = openBook({ windowMs: 60_000, mostPlaces: 2 })
  for (const subject of ['a:443', 'b:443', 'c:443', 'd:443', 'a:443']) refusals.note(refused(subject, 'no'))
  expect(told).toEqual(['a:443 no', 'b:443 no'])
  refusals.close()
  expect(told.slice(2)).toEqual(['a:443 no 1', 'other places no 2'])
})

test('a first one that cannot be noted counts as none', () => {
  const told: Noted[] = []
  const full = () => {
    throw new Error('full')
  }
  const refusals = openRefusals({ note: full, noteInTime: (entry) => void told.push(entry) })
  for (let time = 0; time < 3; time += 1) expect(() => refusals.note(refused('a:443'))).toThrow('full')
  refusals.close()
  expect(told).toEqual([])
})
