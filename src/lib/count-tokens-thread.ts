import { parentPort, workerData } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** What it takes to count grows with the square of a run without a break: texts are counted in slices. */
const slice = 2_000

const counts = (workerData as readonly string[]).map((text) => {
  let tokens = 0
  for (let at = 0; at < text.length; at += slice)
    tokens += countTokens(text.slice(at, at + slice), { disallowedSpecial: new Set() })
  return tokens
})
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of threads has no origin
parentPort?.postMessage(counts)
