import type { Page } from 'playwright-core'
import { launchChromium } from '../../test/support/chromium.ts'
import { startSignalbox } from '../../test/support/signalbox.ts'
import type { Signalbox } from '../../test/support/signalbox.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'

const rounds = 30

/** Two people look at one board: from letting a card go in one browser to seeing it in its new column in the other. */
export default async function twoBrowsers(): Promise<Figure[]> {
  const box = await startSignalbox()
  const browser = await launchChromium()
  try {
    for (let n = 0; n < rounds; n++) await box.call('POST', '/tasks', { title: `Card ${n}` })
    const [mine, theirs] = await Promise.all([openBoard(box), openBoard(box)])
    await mine.locator('[data-card][draggable=true]').first().waitFor()
    const times: number[] = []
    for (let n = 0; n < rounds; n++) times.push(await dragOnce(mine, theirs, `Card ${n}`))
    return [
      {
        name: 'a card dragged in one browser moves in the other, p50',
        ours: percentile(times, 0.5),
        unit: 'ms',
        target: { most: 200 },
      },
      { name: 'the same, p95', ours: percentile(times, 0.95), unit: 'ms', target: { most: 200 } },
    ]
  } finally {
    await browser.close()
    await box.stop()
  }

  async function openBoard({ url, token }: Signalbox): Promise<Page> {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
    await page.goto(`${url}/board#token=${token}`)
    await page.locator('[data-live=live]').first().waitFor()
    return page
  }
}

async function dragOnce(mine: Page, theirs: Page, title: string): Promise<number> {
  const seen = theirs.evaluate(seenAt, title)
  const dropped = mine.evaluate(droppedAt)
  const card = await mine.locator('[data-column=todo] [data-card]', { hasText: title }).first().boundingBox()
  const column = await mine.locator('[data-column=in_progress]').boundingBox()
  if (!card || !column) throw new Error(`${title} is not in sight`)
  await mine.mouse.move(card.x + 60, card.y + 20)
  await mine.mouse.down()
  await mine.mouse.move(column.x + 60, column.y + 150, { steps: 8 })
  await mine.mouse.up()
  return (await seen) - (await dropped)
}

// These two run in the pages. Both use the machine's clock.

function droppedAt(): Promise<number> {
  return new Promise((resolve) => {
    addEventListener('drop', () => resolve(performance.timeOrigin + performance.now()), {
      once: true,
      capture: true,
    })
  })
}

function seenAt(title: string): Promise<number> {
  const isThere = () =>
    [...document.querySelectorAll('[data-column=in_progress] [data-card]')].some((card) =>
      card.textContent.split('\n').some((line) => line.includes(title)),
    )
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!isThere()) return
      observer.disconnect()
      requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()))
    })
    observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  })
}
