import type { Registry, RegistryHands } from './port.ts'

export interface RegistryOptions {
  /** On every figure of `metrics`, so that those of several machines can stand side by side. */
  metricLabels?: Record<string, string>
}

export function openRegistry(_hands: RegistryHands, _options: RegistryOptions = {}): Registry {
  throw new Error('not there yet')
}
