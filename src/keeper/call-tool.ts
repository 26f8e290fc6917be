import type { ServerResponse } from 'node:http'
import type { ToolCall } from '#contract/keeper.ts'
import type { CommandAsked, ToolName } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Keeper } from './keeper.ts'

/** One call of a workspace's tool, given up when whoever asked has gone. Rejects with ToolRefused. */
export async function callTool(
  keeper: Keeper,
  tool: string,
  { input, limitMs, ...where }: ToolCall,
  response: ServerResponse,
): Promise<object> {
  const given = givenUp(response, limitMs)
  try {
    return await Promise.race([keeper.inside(where).call(tool as ToolName, input, given.signal), given.late])
  } finally {
    given.close()
  }
}

/** A command that says what it says as it says it: a piece on each line. Whoever hangs up ends it. */
export async function streamCommand(
  keeper: Keeper,
  { input, limitMs, ...where }: ToolCall,
  response: ServerResponse,
): Promise<void> {
  const given = givenUp(response, limitMs)
  try {
    for await (const piece of keeper.inside(where).stream(input as CommandAsked, given.signal)) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      if (!response.write(`${JSON.stringify(piece)}\n`)) await drained(response)
      if (response.destroyed) return
    }
    response.end()
  } finally {
    given.close()
  }
}

function givenUp(response: ServerResponse, limitMs: number) {
  const controller = new AbortController()
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const timer = setTimeout(() => {
    controller.abort()
    late.reject(
      new ToolRefused('tool_timed_out', `It took longer than ${limitMs / 1000} s, and was given up`),
    )
  }, limitMs)
  const hangUp = () => controller.abort()
  response.once('close', hangUp)
  return {
    signal: controller.signal,
    late: late.promise,
    close() {
      clearTimeout(timer)
      response.off('close', hangUp)
    },
  }
}

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
    if (response.destroyed) go()
  })
