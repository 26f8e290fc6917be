import type { OwnSecrets } from '#lib/own-secrets.ts'
import { redactText } from '#lib/redact.ts'
import { CallFailed } from './port.ts'
import type { ToolSource } from './port.ts'

/** The same source, which tells nobody its own secrets when it says what went wrong. What its tools answer is theirs to say. */
export function discreetSource(source: ToolSource, secrets: OwnSecrets): ToolSource {
  const hideAll = (text: string) => redactText(secrets.hideAll(text))
  let [told, shown] = ['', '']
  const hidden = (error: string): string => {
    if (error !== told) [told, shown] = [error, hideAll(error)]
    return shown
  }
  const fail = (error: unknown): never => {
    throw error instanceof CallFailed ? discreetly(error, hideAll) : error
  }
  return {
    name: source.name,
    get description() {
      return source.description
    },
    tools: (caller) => source.tools(caller),
    ready: (caller) => source.ready?.(caller)?.catch(fail),
    call: (caller, tool, args, hands) => source.call(caller, tool, args, hands).catch(fail),
    health() {
      const health = source.health()
      return health.error === null ? health : { ...health, error: hidden(health.error) }
    },
    ...(source.request && {
      request: (caller, method, params, hands) => source.request!(caller, method, params, hands).catch(fail),
    }),
    ...(source.capabilities && { capabilities: () => source.capabilities?.() }),
    ...(source.instructions && { instructions: () => source.instructions?.() }),
    onChange: (listener) => source.onChange(listener),
    close: () => source.close(),
  }
}

function discreetly(error: CallFailed, hide: (text: string) => string): CallFailed {
  const { reason, message, isUnsent, context, cause } = error
  const discreet = new CallFailed(reason, hide(message), {
    isUnsent,
    ...(context && { context: hiddenIn(context, hide) as Record<string, unknown> }),
  })
  return cause === undefined ? discreet : Object.assign(discreet, { cause })
}

function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((one) => hiddenIn(one, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hiddenIn(inner, hide)]))
}
