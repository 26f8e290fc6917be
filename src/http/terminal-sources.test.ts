import { expect, it } from 'vitest'
import { terminalSources } from './terminal-sources.ts'

const here = { machineId: 'here', port: 4101, url: null }
const there = { machineId: 'there', port: 4101, url: 'wss://box.example.com/terminal' }

it('names the terminal of this machine as the page was called, others as they said', () => {
  expect(terminalSources([here, there], 'here', 'localhost:4100')).toEqual([
    'ws://localhost:4101',
    'wss://box.example.com',
  ])
  expect(terminalSources([here], 'here', '[::1]:4100')).toEqual(['ws://[::1]:4101'])
})

it('names nothing that nobody can reach, and nothing that is no address', () => {
  expect(terminalSources([here], 'elsewhere', 'localhost:4100')).toEqual([])
  expect(terminalSources([here], 'here', undefined)).toEqual([])
  expect(terminalSources([{ ...there, url: 'nonsense; script-src *' }], 'here', 'localhost')).toEqual([])
})

it('cannot be made to say anything else by whoever names the host', () => {
  for (const host of ["localhost; script-src 'unsafe-inline'", 'local host', "a'b c", '*', 'x,y'])
    for (const source of terminalSources([here], 'here', host)) expect(source).toMatch(/^ws:\/\/[\w.[\]:-]+$/)
})
