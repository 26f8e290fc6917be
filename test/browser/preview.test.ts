import { copyFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openBoard, openHouse, openPage } from './browser.ts'

const house = openHouse()

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

let id: string
beforeAll(async () => {
  const { signalbox } = house
  copyFileSync(join(import.meta.dirname, '../support/preview-app.cjs'), join(signalbox.work, 'app.cjs'))
  const made = await signalbox.call('POST', '/workspaces', {
    driver: 'folder',
    root: signalbox.work,
    worktrees: false,
    app: { command: `exec ${process.execPath} app.cjs`, port: await freePort() },
  })
  id = made.body.data.id
})

test('an app is seen under its own name, talks to its server, and cannot reach Signalbox', async () => {
  const { signalbox, browser } = house
  const { url } = (await signalbox.call('POST', `/workspaces/${id}/preview`, {})).body.data

  const { page } = await openPage(browser)
  await page.goto(url)
  expect(await page.textContent('h1')).toBe('The app')
  expect(new URL(page.url()).host).toBe(`${id}.localhost:${new URL(signalbox.url).port}`)
  expect(page.url()).not.toContain('ticket')
  expect(await page.evaluate('document.cookie')).toBe('')

  expect(await page.evaluate(echoOverSocket)).toBe('hello')
  expect(
    await page.evaluate(
      `fetch('/seen').then((answer) => answer.json()).then(({ headers }) => headers.cookie)`,
    ),
  ).toBe(undefined)

  for (const address of [signalbox.url, signalbox.url.replace('127.0.0.1', 'localhost')]) {
    const api = `${address}/api/v1/tasks`
    const init = `{ headers: { authorization: 'Bearer ${signalbox.token}' } }`
    expect(await page.evaluate(outcomeOf(`fetch('${api}', ${init})`))).toBe('Failed to fetch')
    expect(await page.evaluate(outcomeOf(`fetch('${address}/api/health')`))).toBe('Failed to fetch')
  }
})

test('a click opens it in a window that knows nothing of ours', async () => {
  const { page, complaints } = await openBoard(house, '/workspaces')
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Preview' }).first().click()
  const app = await opening
  await app.waitForSelector('h1')
  expect(await app.textContent('h1')).toBe('The app')
  expect(await app.evaluate('window.opener')).toBeNull()
  expect(await app.evaluate('document.referrer')).toBe('')
  expect(complaints).toEqual([])
})

const echoOverSocket = `new Promise((resolve, reject) => {
  const socket = new WebSocket('ws://' + location.host + '/socket')
  socket.onopen = () => socket.send('hello')
  socket.onmessage = ({ data }) => resolve(data)
  socket.onerror = () => reject(new Error('no socket'))
})`

const outcomeOf = (call: string) =>
  `${call}.then(({ status }) => 'answered ' + status, ({ message }) => message)`
