import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { makeMachine } from '../../../test/support/discovery/made-machine.ts'
import { lineIn, readManualLine } from './manual-line.ts'

test.each([
  [
    '.TH GIT 1\n.SH "NAME"\ngit \\- the stupid content tracker\n.SH "SYNOPSIS"\n',
    'the stupid content tracker',
  ],
  ['.Sh NAME\n.Nm ssh\n.Nd OpenSSH remote login client\n.Sh SYNOPSIS\n', 'OpenSSH remote login client'],
  ['.SH NAME\n.B mount\n\\- mount a filesystem\n.SH X', 'mount a filesystem'],
  ['.SH NAME\n\\fBjq\\fR \\- Command\\-line JSON processor\n', 'Command-line JSON processor'],
  ['.SH NAME\nless \\(em opposite of\nmore\n.SH X', 'opposite of more'],
  ['.SH NAME\nllvm-size \\- manual page for llvm-size 14\n', null],
  ['.SH DESCRIPTION\nfoo \\- bar\n', null],
  ['', null],
])('%#', (page, line) => {
  expect(lineIn(page)).toBe(line)
})

test('packed pages, signs to other pages, and what is no page', async () => {
  await using machine = await makeMachine()
  const page = `.\\" ${'a long comment '.repeat(300)}\n.SH NAME\nawk \\- pattern scanning\n`
  const packed = await machine.put('man/man1/mawk.1.gz', gzipSync(page))
  const sign = await machine.put('man/man1/awk.1.gz', gzipSync('.so man1/mawk.1\n'))
  const itself = await machine.put('man/man1/round.1', '.so man1/round.1\n')
  const broken = await machine.put('man/man1/broken.1.gz', 'no gzip at all')
  const bomb = await machine.put('man/man1/bomb.1.gz', gzipSync(Buffer.alloc(50 * 1024 * 1024)))
  expect(await readManualLine(packed)).toBe('pattern scanning')
  expect(await readManualLine(sign)).toBe('pattern scanning')
  for (const path of [itself, broken, bomb, '/nowhere/x.1']) expect(await readManualLine(path)).toBeNull()
})
