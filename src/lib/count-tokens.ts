import { Worker } from 'node:worker_threads'

/** How many tokens these texts are, by o200k_base. Its tables take 70 MB: a thread has them, and goes with them. */
export async function countTokens(texts: readonly string[]): Promise<number[]> {
  const thread = new Worker(new URL('count-tokens-thread.ts', import.meta.url), { workerData: texts })
  try {
    return await new Promise<number[]>((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', () => reject(new Error('The thread that counts tokens ended without a count')))
    })
  } finally {
    await thread.terminate()
  }
}
