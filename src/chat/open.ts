import type { ModelMessage } from 'ai'
import { adviceOn } from './advice.ts'
import { factsOf } from './catalogue.ts'
import { ModelHistory, userMessage } from './history.ts'
import type { Chat, ModelNamed } from './port.ts'
import { openProbes } from './probe.ts'
import { checkAccess, chooseModel, openModel } from './providers.ts'
import type { ModelSettings } from './providers.ts'
import { counterFor } from './tokens.ts'
import { takeTurn } from './turn.ts'

/** `settings` are asked for at every turn: they may change. `open` is another way to a model, for tests. */
export function openChat(settings: () => ModelSettings, open: typeof openModel = openModel): Chat {
  const probes = openProbes(settings)

  function choose(wanted: string | null): ModelNamed {
    const chosen = chooseModel(settings(), wanted ?? undefined)
    checkAccess(settings(), chosen.provider)
    return { ...chosen, name: `${chosen.provider}/${chosen.model}` }
  }

  return {
    choose,
    history: () => new ModelHistory(),
    words: userMessage,
    async takeTurn({ model, system, history, limits, signal }, hands) {
      const chosen = choose(model)
      const { provider } = chosen
      return takeTurn(
        {
          model: await open(settings(), chosen),
          provider,
          facts: factsOf(provider, chosen.model),
          count: await counterFor(provider),
          system,
          history: history.messages.map(apart),
          summary: history.summary,
          open: history.open,
          callIds: history.callIds,
          used: history.used,
          limits,
          advise: (failure) => adviceOn(failure, settings(), chosen),
          signal,
        },
        hands,
      )
    },
    available: (isFresh) => probes.available(isFresh),
    check: (isFresh) => probes.check(isFresh),
  }
}

/** What is said from now on is added to the history as well, and not twice to what the model is shown. */
function apart(message: ModelMessage): ModelMessage {
  return Array.isArray(message.content)
    ? ({ ...message, content: [...message.content] } as ModelMessage)
    : message
}
