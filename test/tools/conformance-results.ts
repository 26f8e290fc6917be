import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export type Leg = 'client' | 'server'

/** How one scenario of the conformance suite went. */
export interface ScenarioResult {
  scenario: string
  passed: number
  failed: number
  warnings: number
  /** Whether the revision requires it; what does not count is an extension, or newer than the revision. */
  isScored: boolean
}

export const conformanceProgram = (outsideTools: string): string =>
  join(outsideTools, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** What a revision of the specification requires, as the suite says. */
export function required(outsideTools: string, revision: string, leg: Leg): string[] {
  const file = join(conformanceProgram(outsideTools), '../../requirements', `${revision}.yaml`)
  return (parse(readFileSync(file, 'utf8')) as Record<Leg, string[]>)[leg]
}

const line = /^[✓✗] (\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?$/gm

/** Reads the summary at the end of what the suite prints. */
export function readSummary(printed: string, scored: readonly string[]): ScenarioResult[] {
  const summary = printed.slice(printed.lastIndexOf('SUMMARY ==='))
  return [...summary.matchAll(line)].map(([, scenario = '', passed, failed, warnings = '0']) => ({
    scenario,
    passed: Number(passed),
    failed: Number(failed),
    warnings: Number(warnings),
    isScored: scored.includes(scenario),
  }))
}

/** Those that count and did not go well, or were not there at all. */
export function shortcomings(results: readonly ScenarioResult[], scored: readonly string[]): string[] {
  const went = new Map(results.map((result) => [result.scenario, result]))
  return scored.flatMap((scenario) => {
    const result = went.get(scenario)
    if (!result) return [`${scenario}: not run`]
    return result.failed > 0 || result.passed === 0 ? [`${scenario}: ${result.failed} failed`] : []
  })
}

/** Kept for the table in the README. Answers with the same for people to read. */
export function keepResults(leg: Leg, revision: string, results: readonly ScenarioResult[]): string {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/conformance')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${leg}-${revision}.json`), `${JSON.stringify(results, null, 2)}\n`)
  return drawResults(leg, revision, results)
}

function drawResults(leg: Leg, revision: string, results: readonly ScenarioResult[]): string {
  const scored = results.filter(({ isScored }) => isScored)
  const well = scored.filter(({ failed, passed }) => failed === 0 && passed > 0)
  const checks = scored.reduce((sum, { passed }) => sum + passed, 0)
  const rows = results.map(({ scenario, passed, failed, isScored }) => {
    const mark = failed === 0 && passed > 0 ? '✓' : '✗'
    return `${mark} ${scenario.padEnd(42)} ${passed}/${passed + failed}${isScored ? '' : '  (not scored)'}`
  })
  const total = `${leg}, ${revision}: ${well.length} of ${scored.length} scored scenarios, ${checks} checks`
  return [total, ...rows, ''].join('\n')
}
