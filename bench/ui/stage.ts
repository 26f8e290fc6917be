import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchChromium } from '../../test/support/chromium.ts'
import { startExecution } from '../../test/support/commands.ts'
import { registerScripted, scriptedEnv } from '../../test/support/scripted-agent.ts'
import type { Signalbox } from '../../test/support/signalbox.ts'
import { startProduct } from '../support/product.ts'

export interface Stage {
  box: Signalbox & { databaseUrl: string }
  browser: Browser
  /** Has the agent do what a play says. Answers with the session. */
  perform(play: string): Promise<string>
}

/** The product with an agent that knows these plays, and a browser; gone when `act` is over. */
export async function onStage<Result>(
  plays: Record<string, string>,
  act: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-plays-'))
  const file = join(folder, 'plays.json')
  await writeFile(file, JSON.stringify(plays))
  const box = await startProduct({
    ...scriptedEnv(join(folder, 'store')),
    SCRIPTED_PLAYS: file,
    MIN_FREE_DISK: '1MB',
  })
  const browser = await launchChromium()
  try {
    const { capabilityId } = await registerScripted(box, { maxTurns: 10_000 })
    return await act({
      box,
      browser,
      perform: async (play) => (await startExecution(box, capabilityId, { prompt: play })).sessionId,
    })
  } finally {
    await browser.close()
    await box.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A page that is logged in, in a browser that has seen nothing of it before. */
export async function freshPage({ box, browser }: Stage): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto(`${box.url}/settings#token=${box.token}`)
  await page.locator('[data-live=live]').first().waitFor()
  const kept = await context.storageState()
  await context.close()
  const cold = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState: kept })
  return cold.newPage()
}

/** What lives in the page's memory once everything was swept that nobody holds, in MB. */
export async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  return usedSize / 1024 / 1024
}
