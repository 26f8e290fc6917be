import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { removeOldFrames } from './old-frames.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-frames-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const config = () => loadConfig({ env: { SIGNALBOX_HOME: home, LOG_RETENTION_DAYS: '2' }, cwd: home })

it('removes frames that are older than what agents said, and no others', async () => {
  const folder = join(home, 'logs/frames')
  mkdirSync(folder, { recursive: true })
  for (const name of ['old', 'new']) writeFileSync(join(folder, `${name}.ndjson`), '{}')
  const threeDaysAgo = Date.now() / 1000 - 3 * 86_400
  utimesSync(join(folder, 'old.ndjson'), threeDaysAgo, threeDaysAgo)
  expect(await removeOldFrames(config())).toBe(1)
  expect(readdirSync(folder)).toEqual(['new.ndjson'])
})

it('has nothing to remove where there is nothing', async () => {
  expect(await removeOldFrames(config())).toBe(0)
})
