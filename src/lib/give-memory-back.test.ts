import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it('gives back what was let go of, and keeps what is in use', async () => {
  const script = `
    import { readFileSync } from 'node:fs'
    import { giveMemoryBack } from ${JSON.stringify(new URL('./give-memory-back.ts', import.meta.url).href)}
    const held = () => Number(/^Pss_Anon:\\s+(\\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]) / 1024
    const made = (count) => Array.from({ length: count }, (_, at) => ({ at, text: 'x' + at }))
    const kept = made(1_000)
    let more = made(400_000)
    const most = held()
    more = undefined
    giveMemoryBack()
    console.log(JSON.stringify({ most, left: held(), last: kept.at(-1).text }))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script])
  const { most, left, last }: { most: number; left: number; last: string } = JSON.parse(stdout)
  expect(last).toBe('x999')
  expect(most - left).toBeGreaterThan(20)
})
