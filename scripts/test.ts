// `npm test`: every suite within its minutes, then one plain line that counts. Arguments name suites; none means all.
// `--rounds N` lets the faults happen N times instead of as often as CI has time for.
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { runSuite } from './run-suite.ts'
import type { Outcome } from './run-suite.ts'
import { suites } from './suites.ts'
import { allTools, isMissing, tools } from './tools.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
process.stdout.on('error', () => undefined) // the terminal may be gone; what was started is ended all the same

const { values, positionals: given } = parseArgs({
  options: { rounds: { type: 'string' } },
  allowPositionals: true,
})
if (values.rounds !== undefined) process.env['ROUNDS'] = values.rounds
const unknown = given.filter((name) => !Object.hasOwn(suites, name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no suite ${unknown.join(', ')}; there are ${Object.keys(suites).join(', ')}.\n`,
  )
  process.exit(1)
}
const wanted = Object.entries(suites).filter(([name]) => given.length === 0 || given.includes(name))

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (!stopping.signal.aborted) process.exitCode = 128 + constants.signals[signal]
    stopping.abort()
  })

const total: Outcome = { passed: 0, failed: 0, skipped: 0 }
for (const [name, { needs }] of wanted) {
  if (stopping.signal.aborted) break
  say(`\n── ${name} ──`)
  const lacking = needs.filter(isMissing)
  if (lacking.length > 0) {
    say(`SKIPPED: it needs ${lacking.join(', ')}`)
    total.skipped += 1
    continue
  }
  const { passed, failed, skipped } = await runSuite(name, stopping.signal)
  total.passed += passed
  total.failed += failed
  total.skipped += skipped
}

const needed = new Set(wanted.flatMap(([, { needs }]) => needs))
const missing = allTools.filter((tool) => isMissing(tool) && (given.length === 0 || needed.has(tool)))
const notNeededYet = missing.filter((tool) => !needed.has(tool))
if (missing.length > 0) {
  say('\nNOT TESTED HERE, because these are not installed:')
  for (const tool of missing) say(`  ${tool.padEnd(12)} ${tools[tool].purpose}`)
  say(`On Debian: apt-get install ${missing.map((tool) => tools[tool].debian).join(' ')}`)
}
if (process.env['CI'] === 'true' && total.skipped + notNeededYet.length > 0) {
  say(`\nIn CI what is skipped or missing has failed (${total.skipped} skipped, ${missing.length} missing).`)
  total.failed += total.skipped + notNeededYet.length
}
if (stopping.signal.aborted) say('\nStopped.')
const skips = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
say(`\n${total.passed} passed, ${total.failed} failed${skips}`)
process.exitCode ??= total.failed > 0 ? 1 : 0
