import type { SourceConfig } from '#contract/source.ts'
import type { Logger } from '#lib/log.ts'
import { CallFailed } from '../port.ts'
import type { SourceChange, ToolSource } from '../port.ts'
import { resultOf } from './answer-result.ts'
import { checkedAddress } from './base-address.ts'
import { buildRequest } from './build-request.ts'
import { followDocument } from './follow-document.ts'
import type { Followed } from './follow-document.ts'
import { planned } from './planned.ts'
import { readDocument } from './read-document.ts'
import { send } from './send.ts'
import { openTrouble } from './trouble.ts'

export interface OpenApiSourceSpec {
  name: string
  /** `${NAME}` is filled in, secrets are there. */
  config: SourceConfig
  log: Logger
  fetch?: typeof fetch
  /** Answers with where the credentials belong: the first origin that was named for this address, also before a restart. */
  keepHome?: (address: string, origin: string) => Promise<string>
}

/**
 * Rejects with an Error whose sentence is for people, if `config.document` is no OpenAPI document that can be used. A document at an
 * address is read in the background: how that goes is told by `health`.
 */
export async function openOpenApiSource(spec: OpenApiSourceSpec): Promise<ToolSource> {
  const { name, config, log } = spec
  const ask = spec.fetch ?? fetch
  const listeners = new Set<(change: SourceChange) => void>()
  const tell = (kind: 'tools' | 'health') => {
    for (const listener of listeners) listener({ kind })
  }
  const trouble = openTrouble(() => tell('health'))
  const api = await apiOf(spec, ask, (change) => {
    const { told = [] } = api.now() ?? {}
    if (change === 'tools' && told.length > 0)
      log.warn({ source: name, told: told.slice(0, 20) }, 'not all of an OpenAPI document can be used')
    tell(change)
  })

  return {
    name,
    get description() {
      return config.description ?? api.now()?.title ?? ''
    },
    tools() {
      api.refresh()
      return api.now()?.offered ?? []
    },
    async call(_caller, tool, args, hands) {
      api.refresh()
      const current = api.now()
      if (!current) {
        const why = api.failure()?.message ?? 'it is being read'
        throw new CallFailed('source_unavailable', `The document of ${name} is not there yet: ${why}`, {
          isUnsent: true,
        })
      }
      const operation = current.operations.get(tool)
      if (!operation)
        throw new CallFailed('tool_not_found', `There is no tool ${name}.${tool}.`, { isUnsent: true })
      const called = `${operation.method} ${operation.path}`
      try {
        const request = buildRequest(operation, args, config, current.home)
        const answer = await send(request, { fetch: ask, signal: hands.signal })
        trouble.answered(called, answer)
        return resultOf(answer)
      } catch (error) {
        if (error instanceof CallFailed) trouble.failed(called, error)
        throw error
      }
    },
    health() {
      const current = api.now()
      const failure = api.failure()
      const { status, ...last } = trouble.last()
      const isRead = current !== undefined
      const left = current && current.told.length > 0 ? partly(current.told) : null
      return {
        name,
        status: isRead ? status : failure ? 'unhealthy' : 'connecting',
        error: failure?.message ?? last.error ?? left,
        errorAt: failure?.at ?? last.errorAt ?? (left === null ? null : current!.since),
        nextRetryAt: failure?.nextRetryAt ?? null,
        tools: current?.offered.length ?? 0,
        protocol: 'openapi',
        server: current ? `${current.title} ${current.version}`.trim() : null,
        pid: null,
        since: current?.since ?? null,
      }
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      trouble.close()
      await api.close()
    },
  }
}

async function apiOf(
  { config, keepHome }: OpenApiSourceSpec,
  ask: typeof fetch,
  onChange: (change: 'tools' | 'health') => void,
): Promise<Followed> {
  const { url, document: text } = config
  const address = url === undefined ? undefined : checkedAddress(url)
  if (text === undefined)
    return followDocument(address ?? '', config, {
      fetch: ask,
      onChange,
      async keepHome(origin) {
        try {
          return (await keepHome?.(address ?? '', origin)) ?? origin
        } catch (error) {
          throw new Error('It cannot be looked up just now where its credentials belong', { cause: error })
        }
      },
    })
  const plan = await planned(await readDocument(text), address)
  const offered = [...plan.operations.values()].map((operation) => operation.offered)
  const now = { ...plan, offered, since: new Date().toISOString() }
  return { now: () => now, failure: () => undefined, refresh: () => undefined, close: async () => undefined }
}

const partly = (told: readonly string[]) => {
  const more = told.length > 2 ? `; and ${told.length - 2} more` : ''
  return `Not all of the document can be used: ${told.slice(0, 2).join('; ')}${more}`.slice(0, 500)
}
