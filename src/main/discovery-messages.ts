import type { ScanStage } from '#contract/discovery.ts'
import type { SeenProgram } from '#discovery/port.ts'

/** What the worker asks of the process that looks at programs. */
export type Asked =
  | { what: 'look'; folders: readonly string[] }
  | { what: 'describe'; program: SeenProgram; hasModel: boolean }
  | { what: 'habits'; home: string }
  | { what: 'version'; program: SeenProgram }

export type ToDiscovery =
  | { id: number; asked: Asked }
  | { id: number; calledOff: true }
  /** What a model said, or why it said nothing. */
  | { id: number; model: { answer: string } | { failure: string } }

export type FromDiscovery =
  | { id: number; answer: unknown }
  | { id: number; failure: string }
  | { id: number; progress: [stage: ScanStage, done: number, total: number] }
  | { id: number; question: string }
  | { id: number; unasked: string }
