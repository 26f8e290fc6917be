import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** Starts a program of the tests that prints its address first and ends with its input. Ended when the test is over. */
export async function startProgram(name: string, ...args: string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../tools/programs', `${name}.ts`), ...args],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  onTestFinished(async () => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await gone
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return line
}
