import { afterEach, describe, expect, it } from 'vitest'
import { bareApp, serveApp } from '../../test/support/bare-app.ts'
import type { Served } from '../../test/support/bare-app.ts'
import { clientAddress, openFailures } from './failures.ts'

describe('openFailures', () => {
  it('allows a burst, then a pace, and says how long to wait', () => {
    let now = 0
    const failures = openFailures({ burst: 2, perMinute: 6, now: () => now })
    const note = () => failures.note('1.1.1.1')
    expect([note(), note(), note(), note()]).toEqual([undefined, undefined, 10, 10])
    now += 10_000
    expect([note(), note()]).toEqual([undefined, 10])
    now += 3600_000
    expect([note(), note(), note()]).toEqual([undefined, undefined, 10])
  })

  it('counts every address by itself', () => {
    const failures = openFailures({ burst: 1 })
    expect([failures.note('1.1.1.1'), failures.note('1.1.1.2')]).toEqual([undefined, undefined])
    expect(failures.note('1.1.1.1')).toBeGreaterThan(0)
  })

  it.each([
    ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:0:0:9'],
    ['2001:db8::1', '2001:0db8:0:0:8::'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['::ffff:9.9.9.9', '9.9.9.9'],
  ])('takes %s and %s for the same network', (one, other) => {
    const failures = openFailures({ burst: 1 })
    failures.note(one)
    expect(failures.note(other)).toBeGreaterThan(0)
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['::1', '::ffff:127.0.0.1'],
  ])('takes %s and %s for two', (one, other) => {
    const failures = openFailures({ burst: 1 })
    failures.note(one)
    expect(failures.note(other)).toBeUndefined()
  })

  it('remembers only so many addresses, and forgets the quietest', () => {
    const failures = openFailures({ burst: 1, addresses: 100 })
    failures.note('quiet')
    failures.note('busy')
    for (let i = 0; i < 99; i += 1) {
      failures.note(`address ${i}`)
      expect(failures.note('busy')).toBeGreaterThan(0)
    }
    expect(failures.note('quiet')).toBeUndefined()
  })
})

describe('clientAddress', () => {
  let served: Served | undefined
  afterEach(async () => {
    await served?.close()
    served = undefined
  })

  it.each([
    [false, '9.9.9.9', '127.0.0.1'],
    [true, '9.9.9.9', '9.9.9.9'],
    [true, '8.8.8.8, 9.9.9.9', '9.9.9.9'],
    [true, '9.9.9.9:5050', '9.9.9.9'],
    [true, '[2001:db8::1]:443', '2001:db8::1'],
    [true, '9.9.9.9, unknown', '127.0.0.1'],
    [true, '9.9.9.9,', '127.0.0.1'],
    [true, undefined, '127.0.0.1'],
  ])('with trust %s and X-Forwarded-For %s is %s', async (trust, forwarded, expected) => {
    served = await serveApp(bareApp().get('/', (c) => c.text(clientAddress(c, trust))))
    const answer = await fetch(served.url, {
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    })
    expect(await answer.text()).toBe(expected)
  })
})
