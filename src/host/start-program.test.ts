import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { startProgram } from './start-program.ts'

const shell = (script: string) => ({ file: '/bin/sh', argv: ['-c', script], env: {}, cwd: '/' })

it('keeps the output for somebody who comes after the program has ended', async () => {
  const { exited, stdout, stderr } = await startProgram(shell('echo out; echo err >&2; exit 2'))
  expect(await exited).toEqual({ exitCode: 2, signal: null })
  // Long after Node has let go of the process.
  await once(spawn('/bin/true'), 'exit')
  expect((await buffer(stdout)).toString()).toBe('out\n')
  expect((await buffer(stderr)).toString()).toBe('err\n')
})

it('names the interpreter that a script needs and that is not there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'program-'))
  const file = join(folder, 'script')
  writeFileSync(file, '#!/nowhere/python -u\n')
  chmodSync(file, 0o755)
  await expect(startProgram({ file, argv: [], env: {}, cwd: '/' })).rejects.toThrow(
    `The program ${file} needs /nowhere/python, which is not there.`,
  )
  rmSync(folder, { recursive: true })
})
