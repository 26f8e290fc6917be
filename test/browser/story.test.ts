import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'
import { killChild } from '../support/kill-child.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { tellStory } from '../support/story.ts'
import type { Worker } from '../support/story.ts'
import { launchChromium } from '../support/chromium.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-story-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const fake = join(import.meta.dirname, '../support/claude-with-interface.ts')
const bin = join(folder, 'bin')
mkdirSync(bin)
writeFileSync(join(bin, 'claude'), `#!/bin/sh\nexec '${process.execPath}' '${fake}' "$@"\n`)
chmodSync(join(bin, 'claude'), 0o755)

const scripted: Worker = {
  preset: 'claude',
  name: 'Claude Code',
  run: (command) => `do: ${command}`,
  ready: /This is /,
  typed: 'and how was it?',
  answered: /turn \d+: and how was it\?/,
}

/** A Signalbox in which nothing has happened yet, and somebody who looks at it. */
async function open(options: { viewport: { width: number; height: number } }) {
  const database = await freshDatabase()
  const box = await startSignalbox({
    env: {
      DATABASE_URL: database.url,
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
      SHELL: '/bin/bash',
      ANTHROPIC_API_KEY: 'a-key',
      CLAUDE_CONFIG_DIR: mkdtempSync(join(folder, 'claude-')),
    },
  })
  const browser = await launchChromium()
  const page = await (await browser.newContext(options)).newPage()
  page.setDefaultTimeout(20_000)
  await page.addInitScript(`localStorage.setItem('signalbox.terminal.screenReader', 'true')`)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  return {
    box,
    page,
    complaints,
    close: async () => {
      await browser.close()
      await box.stop()
      await database.drop()
    },
  }
}

/** The server dies while a question waits; the page and the agent are to notice nothing but a pause. */
async function killServer(box: Signalbox): Promise<void> {
  for (const part of ['web', 'worker'] as const) await killChild(box, part)
}

it.for([
  { on: 'a desk', viewport: { width: 1280, height: 800 } },
  { on: 'a phone', viewport: { width: 390, height: 844 } },
])(
  'a task goes all its way on $on, with the server killed in the middle',
  { timeout: 240_000 },
  async ({ viewport }) => {
    const { box, page, complaints, close } = await open({ viewport })
    try {
      await tellStory({
        page,
        box,
        worker: scripted,
        patience: { timeout: 45_000 },
        isPhone: viewport.width < 640,
        meanwhile: () => killServer(box),
      })
      expect(complaints).toEqual([])
    } finally {
      await close()
    }
  },
)
