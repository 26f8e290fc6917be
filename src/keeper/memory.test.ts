import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MARK } from '#contract/keeper-protocol.ts'
import { findMarked } from '#lib/marked-processes.ts'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'

const view = ['--dev-bind', '/', '/', '--proc', '/proc']
const hasNamespaces =
  spawnSync('bwrap', [...view, '--unshare-pid', '--', 'nsenter', '--version']).status === 0

/** Fills so many megabytes, says so, and stays. */
const fill = (megabytes: number, more = '') =>
  `const kept = Buffer.alloc(${megabytes} * 1048576, 1); console.log('filled', kept.length); ${more}`
const stays = 'setInterval(() => kept.at(0), 1000)'

describe.each(['pid-namespace', 'process-group'])('in a %s', (mode) => {
  describe.skipIf(mode === 'pid-namespace' && !hasNamespaces)('an execution', () => {
    let keeper: TestKeeper
    beforeAll(async () => {
      keeper = await startKeeper({ env: mode === 'process-group' ? { PATH: '/nowhere' } : {} })
    })
    afterAll(() => keeper.stop())

    it('that has more memory than it may is ended, and told why', async () => {
      const { end, output, id } = await keeper.run(process.execPath, ['-e', fill(300, stays)], {
        memoryMb: 200,
      })
      expect(end.reason).toBe('memory_limit')
      expect(end.message).toMatch(/^It used more than the 200 MB of memory .*: \d{3} MB, with all/)
      expect(output('system').toString()).toContain('It is ended')
      expect(findMarked(MARK, [id])).toEqual([])
    })

    it('is held to it with all that it has started, also when nobody waits for that', async () => {
      const child = `'${process.execPath}' -e "${fill(150, stays)}"`
      // Two of them, each within the limit, and one of them left alone by whoever started it.
      const script = `(${child} &) ; ${child} & sleep 100`
      const { end, id } = await keeper.run('/bin/sh', ['-c', script], { memoryMb: 250 })
      expect(end.reason).toBe('memory_limit')
      expect(findMarked(MARK, [id])).toEqual([])
    })

    it('that stays within it is left alone', async () => {
      const once = fill(100, 'setTimeout(() => kept.at(0), 3000)')
      const { end } = await keeper.run(process.execPath, ['-e', once], { memoryMb: 600 })
      expect(end).toMatchObject({ reason: 'exited', exitCode: 0 })
    })
  })
})
