import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installPackages } from '../../test/support/install-packages.ts'

const here = import.meta.dirname

/** The MCP server for files of the protocol's own makers, over stdio. */
export interface FileServer {
  call(tool: string, args: object): Promise<unknown>
  close(): void
}

export async function startFileServer(root: string): Promise<FileServer> {
  const place = await installPackages({
    folder: join(here, '../peers'),
    cache: join(here, '../../node_modules/.cache/bench-peers'),
    called: 'what we are measured beside',
  })
  const script = join(place, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
  const child = spawn(process.execPath, [script, root], { stdio: ['pipe', 'pipe', 'ignore'] })
  const waiting = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  let last = 0
  const tell = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = async (method: string, params: object): Promise<unknown> => {
    const id = (last += 1)
    const answered = new Promise<{ result?: unknown; error?: unknown }>((resolve) => waiting.set(id, resolve))
    tell({ id, method, params })
    const { result, error } = await answered
    if (error || (result as { isError?: boolean }).isError) throw new Error(JSON.stringify(error ?? result))
    return result
  }
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  })
  tell({ method: 'notifications/initialized' })
  return {
    call: (name, args) => ask('tools/call', { name, arguments: args }),
    close: () => child.kill(),
  }
}
