import { setTimeout as wait } from 'node:timers/promises'

/** Waits, and not a moment longer once the signal is aborted. Holds no process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
}
