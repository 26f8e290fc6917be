import type { ModelFailed } from './failure.ts'
import { shownAddress } from './provider-refusal.ts'
import { addressOf, baseUrlOf, keyOf } from './providers.ts'
import type { ChosenModel, ModelSettings } from './providers.ts'

/** What to do about it, in a sentence; empty where nobody knows. */
export function adviceOn(failure: ModelFailed, settings: ModelSettings, chosen: ChosenModel): string {
  const { provider, model } = chosen
  const place = shownAddress(addressOf(settings, provider)) ?? 'its address'
  const variable = baseUrlOf[provider]
  switch (failure.kind) {
    case 'unauthorized':
      return failure.status === 403
        ? `Check what the key in ${keyOf[provider]} may be used for, or choose another model than ${model}: signalbox models tells which there are`
        : settings[provider].apiKey === undefined
          ? `Set ${keyOf[provider]}, and start Signalbox again`
          : `Set ${keyOf[provider]} to one that is, and start Signalbox again`
    case 'dropped':
      return settings[provider].baseUrl === undefined
        ? `It is asked at ${place}: is the network there?`
        : `It is asked at ${place}: check ${variable}, and whether it runs`
    case 'garbled':
      return `It is asked at ${place}: check ${variable}`
    case 'endless':
      return 'Choose another model, or ask for less at once'
    case 'overflow':
      return 'Say less at once, start afresh, or set MAX_HISTORY_TOKENS lower'
    case 'rate_limited':
      return 'Say it again later, or choose another model'
    case 'overloaded':
      return 'Say it again later'
    case 'bad_request':
      if (failure.status === undefined) return ''
      return failure.status === 404
        ? `The model is asked for as ${model}, at ${place}: signalbox models tells which there are`
        : 'Where that comes again, something in the conversation is not taken: say the message before it in another way (edit it), or start afresh'
  }
}
