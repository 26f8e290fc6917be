import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeRepository } from '../support/repository.ts'
import { openBoard } from './browser.ts'
import { openTalking } from './talking.ts'

const { house, ask } = openTalking()
const patience = { timeout: 40_000 }

const hostile = [
  '<script>window.isHurt = true</script>',
  '<img src=x onerror="window.isHurt = true">',
  '<svg/onload=window.isHurt=true>',
  '<iframe srcdoc="<script>parent.isHurt = true</script>"></iframe>',
  '<style>* { display: none !important }</style>',
  '<a href="javascript:window.isHurt=true">html</a>',
  '[one](javascript:window.isHurt=true)',
  '[two](JaVaScRiPt:window.isHurt=true)',
  '[three](data:text/html,<script>window.isHurt=true</script>)',
  '[four](//evil.test/x)',
  '[five](/settings)',
  '![six](https://evil.test/pixel.png)',
  '![seven](data:image/svg+xml;base64,PHN2Zz4=)',
  '<https://evil.test/pointed>',
  '[fine](https://example.com/)',
]
const ansi =
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007'

const update = (more: object) => `update ${JSON.stringify(more)}`
const chunk = (text: string, sessionUpdate = 'agent_message_chunk') =>
  update({ sessionUpdate, content: { type: 'text', text } })

/** Nothing that an agent said became more than text. */
async function expectInert(page: Page, asked: readonly string[]): Promise<void> {
  expect(await page.evaluate('window.isHurt')).toBeUndefined()
  const inside = '[data-transcript], [data-panel]'
  const found = await page.evaluate<{ elements: string[]; links: string[]; inline: number }>(`(() => {
    const all = [...document.querySelectorAll('${inside}')]
    const within = (what) => all.flatMap((each) => [...each.querySelectorAll(what)])
    return {
      elements: within('script, style, iframe, object, embed, img, video, base, meta, form[action]').map((each) => each.outerHTML),
      links: within('a[href]').map((each) => each.getAttribute('href')).filter((href) => !href.startsWith('/sessions/')),
      inline: within('[onerror], [onload], [onclick]').length,
    }
  })()`)
  expect(found.elements).toEqual([])
  expect(found.inline).toBe(0)
  expect(found.links.filter((href) => !href.startsWith('https://'))).toEqual([])
  expect(asked.filter((url) => !url.startsWith(house.signalbox.url))).toEqual([])
  expect(page.url()).toContain('/sessions/')
}

it('draws whatever an agent says as text: in words, thoughts, plans, tools, diffs, questions and titles', async () => {
  const all = [...hostile, ansi].join('\n\n')
  const tool = {
    sessionUpdate: 'tool_call',
    toolCallId: 'x',
    name: hostile[1],
    title: hostile[0],
    kind: 'edit',
    status: 'completed',
    rawInput: { path: hostile[1], [hostile[2]!]: all },
    content: [
      { type: 'content', content: { type: 'text', text: all } },
      { type: 'diff', path: `${hostile[1]}.md`, oldText: 'a\n', newText: `${all}\n` },
    ],
  }
  const plan = {
    sessionUpdate: 'plan',
    entries: [{ content: hostile.join(' '), priority: 'high', status: 'pending' }],
  }
  const { sessionId } = await ask(
    [
      chunk(all),
      chunk(all, 'agent_thought_chunk'),
      update(plan),
      update(tool),
      `ask ${hostile[0]} ${hostile[1]}`,
    ].join('\n'),
  )
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.locator('[data-approval-card]').waitFor(patience)
  await page.locator('[data-row=text]', { hasText: '<script>window.isHurt = true</script>' }).waitFor()
  await page.locator('[data-row=reasoning] summary').click()
  for (const card of await page.locator('[data-tool] > button').all()) await card.click()
  await expectInert(page, asked)
  const links = await page
    .locator('[data-row=text] a')
    .evaluateAll((all) => all.map((a) => a.getAttribute('href')))
  expect(links).toContain('https://example.com/')
  expect(await page.locator('[data-row=text] a[rel="noopener noreferrer"][target=_blank]').count()).toBe(
    links.length,
  )
  // Escapes are told, and do nothing.
  expect(await page.locator('[data-tool] pre').allTextContents()).not.toEqual([])
  expect(await page.title()).not.toContain('title')
  expect((await page.locator('[data-tool] pre').allTextContents()).join('')).not.toContain('\u001b')
  expect(complaints).toEqual([])
})

it('stays at hand with a line of ten megabytes, said and answered by a tool, and in a file that has changed', async () => {
  const big = {
    sessionUpdate: 'tool_call',
    toolCallId: 'big',
    name: 'big',
    title: 'big',
    kind: 'other',
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: 'y'.repeat(500_000) } }],
  }
  const root = makeRepository(join(house.signalbox.work, 'large'), { 'a.txt': 'a\n' })
  const made = await house.signalbox.call('POST', '/workspaces', { driver: 'folder', root, name: 'Large' })
  const write = (bytes: number, file: string) => `sh head -c ${bytes} /dev/zero | tr '\\0' z > ${file}`
  const { sessionId } = await ask(
    [
      'long 10000000 x',
      write(400_000, 'a.txt'),
      write(10_000_000, 'huge.txt'),
      update(big),
      'say and the end',
    ].join('\n'),
    { workspaceId: made.body.data.id },
  )
  const { page, complaints } = await openBoard(house, `/sessions/${sessionId}`)
  await page.locator('[data-end=succeeded]').waitFor({ timeout: 60_000 })
  await page.getByText('and the end').waitFor()
  await page.locator('[data-tool=big] > button').click()
  await page.locator('[data-tool=big] pre', { hasText: 'characters more' }).waitFor()
  const scroller = page.locator('[data-transcript]')
  for (let step = 0; step < 5; step += 1) {
    const before = performance.now()
    await scroller.evaluate((it) => it.scrollBy(0, -3000))
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
    expect(performance.now() - before).toBeLessThan(3000)
  }
  expect(await page.evaluate<number>('document.querySelectorAll("[data-row]").length')).toBeLessThan(60)
  const drawn = await scroller.evaluate((it) => it.textContent?.length ?? 0)
  expect(drawn).toBeLessThan(400_000)

  const changes = page.locator('[data-changes]')
  await changes.locator('[data-line=added]', { hasText: '398,000 characters more' }).waitFor(patience)
  await changes.locator('[data-changed="huge.txt"]').click()
  await changes.getByText('Too long to have come with the others.').waitFor()
  await changes.getByRole('button', { name: 'Show all of it' }).click()
  await page.locator('[data-toast]', { hasText: 'Too long to be shown here' }).waitFor(patience)
  expect(await changes.evaluate((it) => it.textContent?.length ?? 0)).toBeLessThan(20_000)
  expect(complaints).toEqual([])
})
