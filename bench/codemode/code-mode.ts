import type { CodeApi, CodeEnding, CodeWanted } from '#codemode/port.ts'
import type { CodeModeSettings } from '#codemode/open.ts'

/** As a machine with two cores has it. */
export const benchSettings: CodeModeSettings = {
  threads: { min: 2, max: 4, idleMs: 60_000 },
  mostMemoryBytes: 64 * 1024 ** 2,
  mostWaiting: 2_000,
  mostWaitingOfOne: 2_000,
}

export const wantedOf = (code: string, api: CodeApi): CodeWanted => ({
  owner: 'bench',
  code,
  isTypeScript: true,
  isChecked: true,
  api,
  timeoutMs: 30_000,
  memoryBytes: 64 * 1024 ** 2,
  cpuQuota: 0.5,
  context: {},
  clockMs: null,
  seed: [1, 2, 3, 4],
})

export function resultOf(ending: CodeEnding | undefined): unknown {
  if (ending?.isFine) return ending.result
  throw new Error(ending ? `${ending.message} ${JSON.stringify(ending.details)}` : 'It was frozen')
}
