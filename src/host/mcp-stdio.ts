import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { answerRequest, readMessage, refusal, rpcError } from './mcp.ts'
import type { RpcId } from './mcp.ts'
import type { UnattendedTools } from './unattended-tools.ts'

/** Speaks MCP over two streams, a message on each line, until the first of them ends. What is under way then is given up. */
export async function serveMcp(tools: UnattendedTools, input: Readable, output: Writable): Promise<void> {
  const underWay = new Map<RpcId, AbortController>()
  const say = (reply: object) => void output.write(`${JSON.stringify(reply)}\n`)
  const answering = new Set<Promise<void>>()

  async function answer(line: string): Promise<void> {
    const json = parsed(line)
    if (json === undefined) return say(refusal(null, rpcError.parse, 'This line is not JSON'))
    const message = readMessage(json)
    if (!message) return
    if ('reply' in message) return say(message.reply)
    if ('notification' in message) {
      const { method, params } = message.notification
      if (method === 'notifications/cancelled') underWay.get(params['requestId'] as RpcId)?.abort()
      return
    }
    const { request } = message
    if (underWay.has(request.id))
      return say(refusal(request.id, rpcError.request, `Request ${request.id} is still under way`))
    const giveUp = new AbortController()
    underWay.set(request.id, giveUp)
    const reply = await answerRequest(tools, request, giveUp.signal)
    underWay.delete(request.id)
    if (!giveUp.signal.aborted) say(reply)
  }

  output.on('error', () => input.destroy()) // nobody reads any more
  const lines = createInterface({ input })
  input.once('close', () => lines.close())
  for await (const line of lines) {
    if (line.trim() === '') continue
    const answered: Promise<void> = answer(line).finally(() => answering.delete(answered))
    answering.add(answered)
  }
  for (const giveUp of underWay.values()) giveUp.abort()
  await Promise.allSettled(answering)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
