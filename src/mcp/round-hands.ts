import type { LoggingLevel, ServerContext } from '@modelcontextprotocol/server'
import type { Progress } from '#tools/port.ts'

interface RoundHands {
  onProgress(progress: Progress): void
  onLog(params: Record<string, unknown>): void
  meta?: Record<string, unknown>
}

/** What a call may tell the client while its request is open. Whoever is gone is told nothing. */
export function roundHands({ mcpReq }: ServerContext): RoundHands {
  const { _meta: given = {} } = mcpReq
  const { progressToken, ...meta } = given
  const told = () => undefined
  return {
    onProgress: (progress) => {
      if (progressToken === undefined) return
      const params = { progressToken, ...progress }
      mcpReq.notify({ method: 'notifications/progress', params }).then(told, told)
    },
    onLog: ({ level, data, logger }) => {
      const name = typeof logger === 'string' ? logger : undefined
      mcpReq.log(level as LoggingLevel, data, name).then(told, told)
    },
    ...(Object.keys(meta).length > 0 && { meta }),
  }
}
