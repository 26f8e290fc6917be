import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Execution } from '#contract/execution.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import { openHouse } from './browser.ts'
import type { House } from './browser.ts'

export interface Talking {
  house: House
  /** Where the scripted agent keeps its sessions, and tests their files. */
  store: string
  capabilityId: () => string
  /** Every line of a prompt is one thing that the agent does. */
  ask: (prompt: string, more?: object) => Promise<Execution>
}

/** A house with the scripted agent in it. What that is told stands in `received` of its store, line by line. */
export function openTalking(
  env: Record<string, string> = {},
  prepare?: (databaseUrl: string) => Promise<void>,
): Talking {
  const store = mkdtempSync(join(tmpdir(), 'signalbox-store-'))
  const house = openHouse(prepare, {
    ...scriptedEnv(store),
    SCRIPTED_RECORD: join(store, 'received'),
    ...env,
  })
  let capabilityId = ''
  beforeAll(async () => {
    capabilityId = (await registerScripted(house.signalbox)).capabilityId
  })
  afterAll(() => rmSync(store, { recursive: true, force: true }))
  return {
    house,
    store,
    capabilityId: () => capabilityId,
    ask: async (prompt, more = {}) => {
      const { status, body } = await house.signalbox.call('POST', '/executions', {
        capabilityId,
        prompt,
        ...more,
      })
      expect([status, body.error]).toEqual([201, undefined])
      return body.data
    },
  }
}
