import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFailed, test } from 'vitest'
import { agents } from './agents.ts'
import type { AgentName } from './agents.ts'
import { scenarios } from './scenarios.ts'
import { openStage } from './stage.ts'
import type { Stage } from './stage.ts'
import { noteCell } from './table.ts'
import type { Cell } from './table.ts'

/** Every scenario with one agent. */
export function testAgent(name: AgentName): void {
  describe.each([name])('%s', () => {
    let stage: Stage | undefined
    beforeAll(async () => {
      stage = await openStage(name, agents[name])
    }, 60_000)
    afterEach(() => stage?.calm())
    afterAll(() => stage?.close(), 60_000)

    test.each(Object.entries(scenarios))('%s', async (scenario, play) => {
      const note = (cell: Pick<Cell, 'outcome' | 'note'>) =>
        noteCell(inject('cells'), { agent: name, scenario, ...cell })
      onTestFailed(() => note({ outcome: '✗' }))
      const remark = await play(stage!)
      expect(stage!.model.complaints).toEqual([])
      await note({ outcome: '✓', ...(remark && { note: remark }) })
    })
  })
}
