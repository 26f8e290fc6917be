import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { isLive } from '#contract/execution.ts'
import { openHouse, openPage } from './browser.ts'
import type { House, Opened } from './browser.ts'

const fake = join(import.meta.dirname, '../support/claude-with-interface.ts')
export const patience = { timeout: 30_000 }

export interface Terminals {
  house: House
  folder: string
  /** A session in which the agent has said something, or is about to. */
  begin: (prompt: string) => Promise<string>
  /** The page of a session's terminal, live. Its text can be read, as a screen reader does. */
  open: (path: string, options?: BrowserContextOptions) => Promise<Opened>
}

/** A house with Claude Code's stand-in: with a protocol and an interface of its own. */
export function openTerminals(): Terminals {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-terminals-')))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\nexec '${process.execPath}' '${fake}' "$@"\n`)
  chmodSync(join(bin, 'claude'), 0o755)
  const house = openHouse(undefined, {
    PATH: `${bin}:${process.env['PATH']}`,
    SHELL: '/bin/bash',
    ANTHROPIC_API_KEY: 'a-key',
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
  })
  let capabilityId = ''
  beforeAll(async () => {
    const agent = (await house.signalbox.call('POST', '/agents', { preset: 'claude' })).body.data
    const { body } = await house.signalbox.call('GET', `/agents/${agent.id}/capabilities`)
    capabilityId = body.data[0].id
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return {
    house,
    folder,
    begin: async (prompt) => {
      const { status, body } = await house.signalbox.call('POST', '/executions', { capabilityId, prompt })
      expect([status, body.error]).toEqual([201, undefined])
      const { id, sessionId } = body.data
      const read = async () => (await house.signalbox.call('GET', `/executions/${id}`)).body.data.status
      if (!/^(ask|think)/.test(prompt))
        await expect.poll(async () => isLive(await read()), patience).toBe(false)
      return sessionId
    },
    open: async (path, options) => {
      const opened = await openPage(house.browser, options)
      await opened.page.addInitScript(`localStorage.setItem('signalbox.terminal.screenReader', 'true')`)
      await opened.page.goto(`${house.signalbox.url}${path}#token=${house.signalbox.token}`)
      await live(opened.page)
      return opened
    },
  }
}

export const live = (page: Page) => page.locator('[data-terminal=live]').waitFor(patience)

/** What the screen shows, line by line, without what is empty. */
export const textOf = (page: Page) =>
  page.evaluate<string>(`[...document.querySelectorAll('.xterm-accessibility-tree > div')]
    .map((line) => line.textContent.replaceAll('\\u00a0', ' ').trimEnd()).join('\\n').trimEnd()`)

export async function shows(page: Page, text: string | RegExp): Promise<void> {
  await expect.poll(() => textOf(page), patience).toMatch(text)
}

/** Types into the terminal, whatever has the focus now. */
export async function typeInto(page: Page, text: string): Promise<void> {
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.type(text)
}

/** As the browser does it, with this on the clipboard. */
export const paste = (page: Page, text: string) =>
  page.locator('.xterm-helper-textarea').evaluate((field, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)
