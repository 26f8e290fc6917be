import { readFileSync, readdirSync } from 'node:fs'
import type { Person } from '../../test/support/terminal.ts'
import { readRecord } from '../../src/main/up/record.ts'
import type { Signalbox } from '../../test/support/signalbox.ts'

/** Resolves when somebody sees this, which must not be on the screen yet. Looks at the last of it alone, to be in nobody's way. */
export const sees = (person: Person, text: string): Promise<void> =>
  new Promise((resolve) => {
    let tail = ''
    const heard = (data: Buffer, isBinary: boolean) => {
      if (!isBinary) return
      tail = (tail + data.toString('latin1')).slice(-2_000 - data.length)
      if (!tail.includes(text)) return
      person.socket.off('message', heard)
      person.clear()
      resolve()
    }
    person.socket.on('message', heard)
  })

export const nextPiece = (person: Person): Promise<void> =>
  new Promise((resolve) => {
    const heard = (_: unknown, isBinary: boolean) => {
      if (!isBinary) return
      person.socket.off('message', heard)
      setImmediate(resolve)
    }
    person.socket.on('message', heard)
  })

/** How long each of these keys takes until it is seen, in milliseconds. */
export async function echoes(
  count: number,
  type: (key: string) => void,
  shown: () => Promise<void>,
): Promise<number[]> {
  const times: number[] = []
  for (let key = 0; key < count; key += 1) {
    const before = performance.now()
    const echoed = shown()
    type(String.fromCharCode(97 + (key % 26)))
    await echoed
    times.push(performance.now() - before)
    await new Promise((resolve) => setTimeout(resolve, 15)) // as fast as nobody types
  }
  return times
}

export const terminalPid = (box: Signalbox): number =>
  readRecord(box.home)?.children.find(({ name }) => name === 'terminal')?.pid ?? 0
export const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
export const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
export const children = (pid: number): number =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).length
