import { parentPort, workerData } from 'node:worker_threads'
import { parse } from 'yaml'

// YAML of some megabytes takes seconds to read: in a thread of its own, so that nobody else waits.
try {
  parentPort?.postMessage({ json: asJson(workerData) }, [])
} catch (error) {
  parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) }, [])
}

/** As JSON, in which nothing can contain itself and nothing is there twice for the price of once. */
function asJson({ text, longest }: { text: string; longest: number }): string {
  const json = JSON.stringify(parse(text, { maxAliasCount: 100, logLevel: 'error' })) ?? 'null'
  if (json.length > longest) throw new Error('it is too much, with everything that its aliases stand for')
  return json
}
