import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

interface Answer {
  id?: number
  params?: { update?: { content?: { text?: string } } }
}

/** Speaks to an ACP agent with nothing in between, and tells every delta in the moment in which it is read. */
export async function promptDirectly(
  argv: string[],
  text: string,
  onDelta: (delta: string) => void,
): Promise<void> {
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, () => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, params } = JSON.parse(line) as Answer
    if (id !== undefined) waiting.get(id)?.()
    const delta = params?.update?.content?.text
    if (delta !== undefined) onDelta(delta)
  })
  const ask = (id: number, method: string, params: object) => {
    const answered = new Promise<void>((resolve) => waiting.set(id, resolve))
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return answered
  }
  await ask(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} })
  await ask(2, 'session/new', { cwd: process.cwd(), mcpServers: [] })
  await ask(3, 'session/prompt', { sessionId: 'one', prompt: [{ type: 'text', text }] })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.stdin.end()
  await exited
}
