import { expect, it } from 'vitest'
import type { Agent } from '../../../src/contract/agent.ts'
import { whyNot } from './why-not.ts'

const session = { agentId: 'a', sessionRef: 'r', executions: 1, takenOverAt: null, trashedAt: null }
const agent = {
  name: 'claude',
  preset: 'claude',
  adapter: 'claude',
  binaryPath: '/usr/bin/claude',
} as unknown as Agent
const known = { session, agent, isTalk: true, isAtWork: false, maySpeak: true, mayUseTerminal: true }

it('says why something cannot be done with a session, and nothing where it can', () => {
  const all = { rename: null, fork: null, takeOver: null, trash: null, restore: null }
  expect(whyNot(known)).toEqual(all)
  expect(whyNot({ ...known, isAtWork: true }).trash).toMatch(/at work/)
  expect(whyNot({ ...known, session: { ...session, takenOverAt: '2026' } }).trash).toMatch(/Hand it back/)
  expect(whyNot({ ...known, session: { ...session, sessionRef: null } }).fork).toMatch(/not begun/)
  expect(whyNot({ ...known, isTalk: false }).fork).toMatch(/command/)
  expect(whyNot({ ...known, agent: undefined })).toMatchObject({
    fork: expect.stringMatching(/gone/),
    takeOver: expect.stringMatching(/gone/),
    rename: null,
  })
  expect(
    whyNot({
      ...known,
      agent: { ...agent, preset: null, adapter: 'acp', binaryPath: '/usr/bin/node' },
    }).takeOver,
  ).toMatch(/no interface/)
  expect(whyNot({ ...known, mayUseTerminal: false }).takeOver).toMatch(/owner/)
  expect(whyNot({ ...known, maySpeak: false })).toMatchObject({
    rename: expect.any(String),
    fork: expect.any(String),
    trash: expect.any(String),
    restore: expect.any(String),
  })
})
