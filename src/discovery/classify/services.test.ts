import { expect, test } from 'vitest'
import { programsIn } from './services.ts'

test.each([
  ['[Service]\nType=notify\nExecStart=/usr/sbin/frobd -D $OPTS\n', ['/usr/sbin/frobd']],
  ['[Service]\nExecStart=-/usr/sbin/frobd\n', ['/usr/sbin/frobd']],
  ['[Service]\nExecStart=!"/usr/sbin/frobd" -f\n', ['/usr/sbin/frobd']],
  ['[Service]\nType=oneshot\nExecStart=/usr/sbin/frobd\n', []],
  ['[Service]\nExecStart=/bin/sh -c "frob"\n', []],
  ['[Service]\nExecStart=/usr/bin/python3.12 /usr/share/frob.py\n', []],
  ['[Service]\nExecStartPre=/usr/bin/frob-check\nExecReload=/usr/bin/frob-reload\n', []],
  ['#ExecStart=/usr/sbin/frobd\nExecStart=\nExecStart=relative\n', []],
])('%j', (unit, programs) => {
  expect(programsIn(unit)).toEqual(programs)
})
