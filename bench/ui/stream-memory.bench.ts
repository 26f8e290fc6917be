import type { Figure } from '../figure.ts'
import { freshPage, heapOf, onStage } from './stage.ts'

/** An hour of a busy agent (a tool every two seconds, a sentence before each) in the time that is left for it here. */
const minutes = 60
const perMinute = Array.from(
  { length: 30 },
  (_, n) => `say Sentence ${n} about what is next.\ntool search ${n} matches`,
)
/** What is to be seen stays at the end for a while, where it is in sight. */
const minute = (n: number) => [...perMinute, `say Minute ${n} is over.`, 'wait 700'].join('\n')

/** What a page holds that has watched a session for an hour, against what it held after ten minutes. */
export default function streamMemory(): Promise<Figure[]> {
  const hour = Array.from({ length: minutes }, (_, n) => minute(n + 1)).join('\n')
  return onStage({ hour: `${hour}\nsay The hour is over.` }, async (stage) => {
    const page = await freshPage(stage)
    const devtools = await page.context().newCDPSession(page)
    const sessionId = await stage.perform('hour')
    await page.goto(`${stage.box.url}/sessions/${sessionId}`)
    const said = (text: string) =>
      page.locator('[data-row=text]', { hasText: text }).waitFor({ timeout: 240_000, state: 'attached' })
    await said('Minute 10 is over.')
    const early = await heapOf(devtools)
    await said('The hour is over.')
    const late = await heapOf(devtools)
    return [
      {
        name: 'memory of the page after an hour of a session',
        ours: late,
        unit: 'MB',
        target: { most: Math.max(60, early * 1.5) },
        peer: { name: 'after ten minutes', value: early },
      },
    ]
  })
}
