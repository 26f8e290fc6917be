import { isDeepStrictEqual } from 'node:util'
import { Checker } from '#codemode/check/checker.ts'
import { openCodeMode } from '#codemode/open.ts'
import type { CodeApi, CodeMode } from '#codemode/port.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { benchSettings, resultOf, wantedOf } from './code-mode.ts'
import { benchTools, typedProgram } from './typed-program.ts'

const times = 300
const warmUp = 50
const settings = { idleMs: 60_000, cpuMs: 4_000, wallMs: 30_000, memoryBytes: 1024 ** 3 }

/** From TypeScript to its result, and the parts of it. Nobody has seen the code before: nothing of it is remembered. */
export default async function pipeline(): Promise<Figure[]> {
  const codeMode = openCodeMode(benchSettings)
  const checker = new Checker(settings)
  try {
    const api = codeMode.api(benchTools)
    const whole = await timed((turn) => ran(codeMode, api, turn))
    const other = codeMode.api(benchTools.slice(0, 30))
    const byTurns = await timed((turn) => ran(codeMode, turn % 2 === 0 ? api : other, turn))
    const checking = await timed((turn) => checked(checker, api, turn))
    return [
      {
        name: `check, strip and run 40 new lines against ${benchTools.length} tools, p50`,
        ours: percentile(whole, 0.5),
        unit: 'ms',
        target: { most: 10 },
      },
      { name: '  the same, p95', ours: percentile(whole, 0.95), unit: 'ms' },
      {
        name: '  the same for two callers with other tools, by turns, p50',
        ours: percentile(byTurns, 0.5),
        unit: 'ms',
        target: { most: 10 },
      },
      {
        name: '  check and strip alone, p50',
        ours: percentile(checking, 0.5),
        unit: 'ms',
        target: { most: 5 },
      },
    ]
  } finally {
    await Promise.all([codeMode.close(), checker.close()])
  }
}

let turn = 0

async function timed(work: (turn: number) => Promise<void>): Promise<number[]> {
  const took: number[] = []
  for (let count = -warmUp; count < times; count += 1) {
    const since = performance.now()
    await work((turn += 1))
    if (count >= 0) took.push(performance.now() - since)
  }
  return took
}

async function ran(codeMode: CodeMode, api: CodeApi, turn: number): Promise<void> {
  const { code, expected } = typedProgram(turn)
  const hands = {
    call: async (_call: number, _kind: string, _name: string, given: readonly unknown[]) => given[0],
    log: () => undefined,
  }
  const result = resultOf(await codeMode.run(wantedOf(code, api), hands).ended)
  if (!isDeepStrictEqual(result, expected)) throw new Error(`A wrong result: ${JSON.stringify(result)}`)
}

/** Every tenth has a mistake, which has to be found: a check that looks at nothing would be fast. */
async function checked(checker: Checker, { text }: CodeApi, turn: number): Promise<void> {
  const isWrong = turn % 10 === 0
  const code = `${isWrong ? 'const wrong: number = String(1)\n' : ''}${typedProgram(turn).code}`
  const found = await checker.check('bench', code, text, new AbortController().signal)
  if ('types' in found ? found.types.length !== 1 : isWrong)
    throw new Error(`A wrong check: ${JSON.stringify(found)}`)
}
