/** `optional` is what is missing and not required. */
export type Verdict = 'ok' | 'attention' | 'optional' | 'missing'

/** What one look at the machine found. */
export interface Finding {
  verdict: Verdict
  /** A version, an address, a number: what is there. */
  found: string
  /** What to do about it. */
  advice?: string
}

export interface Probe {
  name: string
  /** What it is for, in a few words. */
  purpose: string
  /** Without it Signalbox does not start. */
  required: boolean
  look: (signal: AbortSignal) => Promise<Finding>
}

export interface Result extends Finding {
  name: string
  purpose: string
  required: boolean
}

const PATIENCE_MS = 5_000

/** Looks at everything at once. A probe that hangs or throws costs five seconds and one line, and nobody else anything. */
export function examine(probes: readonly Probe[], patienceMs = PATIENCE_MS): Promise<Result[]> {
  return Promise.all(probes.map((probe) => lookAt(probe, patienceMs)))
}

async function lookAt({ name, purpose, required, look }: Probe, patienceMs: number): Promise<Result> {
  const given = new AbortController()
  const late = Promise.withResolvers<Finding>()
  const timer = setTimeout(() => {
    late.resolve({ verdict: 'missing', found: `no answer within ${patienceMs / 1000} s` })
    given.abort()
  }, patienceMs)
  try {
    const finding = await Promise.race([Promise.resolve(given.signal).then(look), late.promise])
    const verdict = finding.verdict === 'missing' && !required ? 'optional' : finding.verdict
    return { name, purpose, required, ...finding, verdict }
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error)
    return { name, purpose, required, found, verdict: required ? 'missing' : 'attention' }
  } finally {
    clearTimeout(timer)
  }
}
