// Many readers of the board stream in one process. Every tenth looks at each event's latency; all of them check that
// nothing is missing by the first and last id of what they read.
import { get } from 'node:http'

const [url = '', token = '', count = '0'] = process.argv.slice(2)
const latencies: number[] = []
const states: { next: number; broken: boolean }[] = []
let delivered = 0
let expected = Infinity

await Promise.all(Array.from({ length: Number(count) }, (_, index) => open(index)))
process.send?.('connected')
process.on('message', ({ expect }: { expect: number }) => {
  expected = expect
  finishWhenComplete()
})

function open(index: number): Promise<void> {
  const state = { next: 0, broken: false }
  states.push(state)
  return new Promise((resolve) => {
    get(`${url}/api/v1/sse/board`, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      let rest = ''
      response.setEncoding('latin1').on('data', (text: string) => {
        const whole = rest + text
        const end = whole.lastIndexOf('\n\n') + 2
        rest = whole.slice(end)
        if (end < 2) return
        if (state.next === 0) {
          state.next = Number(/^id: (\d+)/.exec(whole)?.[1]) + 1
          resolve()
          return
        }
        take(state, whole.slice(0, end), index % 10 === 0)
      })
    })
  })
}

function take(state: { next: number; broken: boolean }, text: string, closely: boolean): void {
  if (text.startsWith(':')) return
  const first = Number(text.slice(4, text.indexOf('\n')))
  const start = text.lastIndexOf('id: ', text.length - 3)
  const last = Number(text.slice(start + 4, text.indexOf('\n', start)))
  if (first !== state.next) state.broken = true
  delivered += last - first + 1
  state.next = last + 1
  if (closely) {
    const now = performance.timeOrigin + performance.now()
    let ids = 0
    for (const [, at] of text.matchAll(/"at":(\d+\.?\d*),"n"/g)) {
      latencies.push(now - Number(at))
      ids += 1
    }
    if (ids !== last - first + 1) state.broken = true
  }
  finishWhenComplete()
}

function finishWhenComplete(): void {
  if (states.some((state) => !state.broken && state.next <= expected)) return
  const complete = states.filter((state) => !state.broken).length
  process.send?.({ latencies, delivered, complete })
  expected = Infinity
}
