import type { Choice, SessionFacts } from '#contract/agent-event.ts'
import type { AgentEvent } from '../port.ts'
import { listIn, objectIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'

type What = 'mode' | 'model'

/** What is offered, and how it is chosen. */
interface Offer {
  current: string | undefined
  choices: Choice[]
  /** The request that chooses it. */
  choose: (id: string) => { method: string; params: object }
}

/** The models and modes that an agent offers, each in one of two forms. */
export class Choices {
  readonly #offers: Partial<Record<What, Offer>> = {}

  /** From the answer that begins a session, or a later update. */
  take(told: JsonObject): SessionFacts {
    const modes = objectIn(told, 'modes')
    const models = objectIn(told, 'models')
    if (Array.isArray(modes['availableModes']))
      this.#offers.mode = {
        current: textIn(modes, 'currentModeId'),
        choices: listIn(modes, 'availableModes').flatMap((mode) => choice(mode, 'id')),
        choose: (modeId) => ({ method: 'session/set_mode', params: { modeId } }),
      }
    if (Array.isArray(models['availableModels']))
      this.#offers.model = {
        current: textIn(models, 'currentModelId'),
        choices: listIn(models, 'availableModels').flatMap((model) => choice(model, 'modelId')),
        choose: (modelId) => ({ method: 'session/set_model', params: { modelId } }),
      }
    // Where an agent offers both forms, this is the one that all of them understand.
    for (const option of listIn(told, 'configOptions')) this.#takeOption(option)
    return this.facts()
  }

  facts(): SessionFacts {
    const { mode, model } = this.#offers
    return {
      ...(model && { models: model.choices, ...(model.current !== undefined && { model: model.current }) }),
      ...(mode && { modes: mode.choices, ...(mode.current !== undefined && { mode: mode.current }) }),
    }
  }

  current(what: What): string | undefined {
    return this.#offers[what]?.current
  }

  chosen(what: What, id: string): SessionFacts {
    const offer = this.#offers[what]
    if (offer) offer.current = id
    return { [what]: id }
  }

  /** The request that chooses it; undefined when there is nothing to choose from. */
  choose(what: What, id: string): { method: string; params: object } | undefined {
    return this.#offers[what]?.choose(id)
  }

  #takeOption(option: JsonObject): void {
    const id = textIn(option, 'id')
    const what = textIn(option, 'category') ?? id
    if (id === undefined || option['type'] !== 'select' || (what !== 'mode' && what !== 'model')) return
    // Options may come in groups.
    const options = listIn(option, 'options').flatMap((entry) =>
      Array.isArray(entry['options']) ? listIn(entry, 'options') : [entry],
    )
    this.#offers[what] = {
      current: textIn(option, 'currentValue'),
      choices: options.flatMap((entry) => choice(entry, 'value')),
      choose: (value) => ({ method: 'session/set_config_option', params: { configId: id, value } }),
    }
  }
}

export const facts = (told: SessionFacts): AgentEvent[] => [{ type: 'session', facts: told }]

function choice(told: JsonObject, key: string): Choice[] {
  const id = textIn(told, key)
  const description = textIn(told, 'description')
  return id === undefined
    ? []
    : [{ id, label: textIn(told, 'name') ?? id, ...(description && { description }) }]
}
