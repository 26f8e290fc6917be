// Many readers of the board stream in one process. Every tenth looks at each event's latency; all of them check that
// nothing is missing by the first and last id of what they read, and resume when they were dropped for being slow.
import { get } from 'node:http'

const [url = '', token = '', count = '0'] = process.argv.slice(2)
const latencies: number[] = []
const states: { next: number; broken: boolean }[] = []
let delivered = 0
let resumed = 0
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
  return new Promise((resolve) => read(state, index % 10 === 0, resolve))
}

function read(state: { next: number; broken: boolean }, closely: boolean, connected: () => void): void {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(state.next > 0 && { 'last-event-id': String(state.next - 1) }),
  }
  get(`${url}/api/v1/sse/board`, { headers, agent: false }, (response) => {
    let rest = ''
    let open = false
    response.setEncoding('latin1').on('data', (text: string) => {
      let whole = rest + text
      if (!open) {
        const first = whole.indexOf('\n\n') + 2
        if (first < 2) return void (rest = whole)
        open = true
        state.next = Number(/^id: (\d+)/.exec(whole)?.[1]) + 1
        whole = whole.slice(first)
        connected()
      }
      const end = whole.lastIndexOf('\n\n') + 2
      rest = whole.slice(end < 2 ? 0 : end)
      if (end >= 2) take(state, whole.slice(0, end), closely)
    })
    response.on('close', () => {
      resumed += 1
      read(state, closely, () => undefined)
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
  process.send?.({ latencies, delivered, complete, resumed })
  expected = Infinity
}
