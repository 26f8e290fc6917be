import { describe, expect, it } from 'vitest'
import { seccompFilter } from './seccomp.ts'

const allowed = 0x7fff0000
const killed = 0x80000000
const failed = (errno: number) => 0x50000 | errno

interface Asked {
  arch: number
  number: number
  first?: number
  second?: number
}

/** Runs the filter as the kernel would, with the few instructions that it is made of. */
function decide(filter: Buffer, { arch, number, first = 0, second = 0 }: Asked): number {
  const data = new Map([
    [0, number],
    [4, arch],
    [16, first],
    [24, second],
  ])
  let value = 0
  for (let at = 0; ; at += 1) {
    const [code, whenTrue, whenFalse, wanted] = [
      filter.readUInt16LE(at * 8),
      filter.readUInt8(at * 8 + 2),
      filter.readUInt8(at * 8 + 3),
      filter.readUInt32LE(at * 8 + 4),
    ]
    if (code === 0x06) return wanted
    if (code === 0x20) value = data.get(wanted) ?? Number.NaN
    const isTrue = code === 0x15 ? value === wanted : code === 0x35 ? value >= wanted : (value & wanted) !== 0
    if (code !== 0x20) at += isTrue ? whenTrue : whenFalse
  }
}

const machines = [
  {
    cpu: 'x64',
    arch: 0xc000003e,
    read: 0,
    ptrace: 101,
    mount: 165,
    keyctl: 250,
    clone: 56,
    socket: 41,
    ioctl: 16,
  },
  {
    cpu: 'arm64',
    arch: 0xc00000b7,
    read: 63,
    ptrace: 117,
    mount: 40,
    keyctl: 219,
    clone: 220,
    socket: 198,
    ioctl: 29,
  },
] as const

describe.each(machines)('the filter for $cpu', ({ cpu, arch, ...numbers }) => {
  const filter = seccompFilter(cpu) ?? Buffer.alloc(0)
  const ask = (number: number, first?: number, second?: number) =>
    decide(filter, {
      arch,
      number,
      ...(first !== undefined && { first }),
      ...(second !== undefined && { second }),
    })

  it("allows what is nobody else's business", () => {
    expect(ask(numbers.read)).toBe(allowed)
  })

  it.each(['ptrace', 'mount', 'keyctl'] as const)('refuses %s', (name) => {
    expect(ask(numbers[name])).toBe(failed(1))
  })

  it('knows no clone3, and of clone no new namespaces', () => {
    expect(ask(435)).toBe(failed(38))
    expect(ask(numbers.clone, 0x01200011)).toBe(allowed)
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
      expect(ask(numbers.clone, flag | 17)).toBe(failed(1))
  })

  it('has the usual networks, and none that lead past a namespace', () => {
    for (const family of [1, 2, 10, 16]) expect(ask(numbers.socket, family)).toBe(allowed)
    for (const family of [0, 3, 15, 17, 38, 40]) expect(ask(numbers.socket, family)).toBe(failed(97))
  })

  it('lets nobody type into a terminal for others', () => {
    expect(ask(numbers.ioctl, 0, 0x5401)).toBe(allowed)
    for (const trick of [0x5412, 0x541c]) expect(ask(numbers.ioctl, 0, trick)).toBe(failed(1))
  })

  it("kills what asks in another machine's way", () => {
    expect(decide(filter, { arch: 0x40000003, number: numbers.read })).toBe(killed)
    expect(ask(0x40000000 + numbers.read)).toBe(killed)
  })
})

it('is none for a machine that we know nothing of', () => {
  expect(seccompFilter('s390x')).toBeUndefined()
})
