import type { AvailableModels, CheckedModels } from '#contract/model.ts'
import type { ModelSettings } from './providers.ts'

export interface Probes {
  available(isFresh: boolean): Promise<AvailableModels>
  check(isFresh: boolean): Promise<CheckedModels>
}

export function openProbes(_settings: () => ModelSettings): Probes {
  return {
    available: () => Promise.reject(new Error('not yet')),
    check: () => Promise.reject(new Error('not yet')),
  }
}
