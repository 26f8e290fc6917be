import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { findTool } from '../../scripts/tools.ts'

/** Debian's own; playwright-core brings no browser. */
export function launchChromium(): Promise<Browser> {
  const executablePath = findTool('chromium')
  if (!executablePath) throw new Error('chromium is not installed: apt-get install chromium')
  return chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
}
