// An ACP agent that says what time it is: `COUNT EVERY_MS` as a prompt, and each delta is the moment in which it was written.
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

interface Request {
  id?: number
  method?: string
  params?: { prompt?: { text?: string }[] }
}

const write = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

createInterface({ input: process.stdin })
  .on('line', (line) => void answer(JSON.parse(line) as Request))
  .once('close', () => process.exit(0))

async function answer({ id, method, params }: Request): Promise<void> {
  if (id === undefined) return
  if (method === 'initialize') write({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
  else if (method === 'session/new') write({ id, result: { sessionId: 'one' } })
  else if (method === 'session/prompt') {
    const [count = 0, everyMs = 0] = (params?.prompt?.[0]?.text ?? '').split(' ').map(Number)
    for (let said = 0; said < count; said += 1) {
      const content = { type: 'text', text: `${process.hrtime.bigint()};` }
      const update = { sessionUpdate: 'agent_message_chunk', content }
      write({ method: 'session/update', params: { sessionId: 'one', update } })
      await wait(everyMs)
    }
    write({ id, result: { stopReason: 'end_turn' } })
  } else write({ id, result: {} })
}
