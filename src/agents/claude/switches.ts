import type { SessionFacts } from '#contract/agent-event.ts'
import type { Controls } from './controls.ts'
import { isRecord } from './frame.ts'

/** Another model or mode, between two turns or in one. */
export class Switches {
  readonly #controls: Controls
  readonly #learn: (facts: SessionFacts) => void
  /** Claude tells a model by another name than it was asked for. */
  #lastModel: string | null

  constructor(controls: Controls, model: string | null, learn: (facts: SessionFacts) => void) {
    this.#controls = controls
    this.#lastModel = model
    this.#learn = learn
  }

  /** Why it is not to be had; undefined when it is. */
  async to(
    { model, mode }: { model?: string; mode?: string },
    now: SessionFacts,
  ): Promise<string | undefined> {
    if (model !== undefined && model !== now.model && model !== this.#lastModel) {
      const outcome = await this.#controls.ask('set_model', { model })
      if ('error' in outcome) return outcome.error
      this.#lastModel = model
      const told = isRecord(outcome.response) ? outcome.response['model'] : undefined
      this.#learn({ model: typeof told === 'string' ? told : model })
    }
    if (mode === undefined || mode === now.mode) return undefined
    const outcome = await this.#controls.ask('set_permission_mode', { mode })
    if ('error' in outcome) return outcome.error
    this.#learn({ mode })
    return undefined
  }
}
