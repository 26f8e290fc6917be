import { launchChromium } from '../../test/support/chromium.ts'
import { fillBoard } from '../../test/support/large-board.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { startProduct } from '../support/product.ts'

const frames = 240

/** Scrolls down a column of ten thousand cards, a screen in every frame: from one drawn frame to the next. */
export default async function largeBoard(): Promise<Figure[]> {
  const box = await startProduct()
  const browser = await launchChromium()
  try {
    await fillBoard(box.databaseUrl, 10_000)
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const limit = await page.evaluate(frameTimes, { selector: '', frames })
    await page.goto(`${box.url}/board#token=${box.token}`)
    await page.locator('[data-column=todo] [data-card]').first().waitFor()
    const times = await page.evaluate(frameTimes, { selector: '[data-column=todo] ul', frames })
    const peer = (share: number) => ({ name: 'an empty page', value: percentile(limit, share) })
    return [
      {
        name: 'a frame while scrolling ten thousand cards, p50',
        ours: percentile(times, 0.5),
        unit: 'ms',
        target: { most: 34 }, // two frames of a 60 Hz screen, on a machine that may draw without a graphics card
        peer: peer(0.5),
      },
      { name: 'the same, p95', ours: percentile(times, 0.95), unit: 'ms', peer: peer(0.95) },
    ]
  } finally {
    await browser.close()
    await box.stop()
  }
}

/** Runs in the page. */
async function frameTimes({ selector, frames }: { selector: string; frames: number }): Promise<number[]> {
  const list = selector ? document.querySelector(selector)?.parentElement : undefined
  const times: number[] = []
  let last = await new Promise<number>(requestAnimationFrame)
  for (let frame = 0; frame < frames; frame += 1) {
    if (list) list.scrollTop += 600
    const now = await new Promise<number>(requestAnimationFrame)
    times.push(now - last)
    last = now
  }
  return times
}
