import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import type { UIMessage } from 'ai'

const root = join(import.meta.dirname, '../..')
const script = join(import.meta.dirname, 'scripted-acp-agent.ts')

export interface TestBridge {
  url: string
  folder: string
  process: ChildProcess
  log(): string
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Ended as by Ctrl-C. Answers with the exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
}

export interface BridgeRoom {
  folder: string
  start(env?: Record<string, string>): Promise<TestBridge>
  close(): Promise<void>
}

/** A folder for bridges of the real command, around the scripted agent unless told otherwise. */
export function openBridgeRoom(): BridgeRoom {
  const folder = mkdtempSync(join(tmpdir(), 'bridge-'))
  const started: TestBridge[] = []
  return {
    folder,
    async start(env = {}) {
      const bridge = await startBridge(folder, env)
      started.push(bridge)
      return bridge
    },
    async close() {
      await Promise.all(started.map((bridge) => bridge.stop()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const bridgeEnv = (folder: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  SIGNALBOX_HOME: join(folder, 'home'),
  PORT: '0',
  LOG_LEVEL: 'info',
  AGENT_COMMAND: process.execPath,
  AGENT_ARGS: script,
  AGENT_CWD: folder,
  SESSION_FILE: join(folder, 'session.json'),
  SCRIPTED_STORE: join(folder, 'store'),
})

export function spawnBridge(folder: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [join(root, 'src/main/signalbox.ts'), 'agent'], {
    cwd: folder,
    env: { ...bridgeEnv(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function startBridge(folder: string, env: Record<string, string>): Promise<TestBridge> {
  const child = spawnBridge(folder, env)
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (log += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await Promise.race([readyLine(child), exited])
  if (typeof url !== 'string') throw new Error(`The bridge ended with ${url}:\n${log}`)
  return {
    url,
    folder,
    process: child,
    log: () => log,
    fetch: (path, init) => fetch(`${url}${path}`, init),
    async stop() {
      child.kill('SIGTERM')
      return exited
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function readyLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [, address] = /^Signalbox agent ready at (\S+)$/.exec(line) ?? []
    if (address) {
      child.stdout!.resume()
      return address
    }
  }
  return new Promise(() => undefined) // it ended without one: the exit tells
}

/** The AI SDK's own client, with its own transport, as a page would use it. */
export function openChat(
  api: string,
  headers: Record<string, string> = {},
  messages: UIMessage[] = [],
): Chat<UIMessage> {
  return new Chat({
    messages,
    transport: new DefaultChatTransport({ api, headers }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
}

export const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')

/** The data of parts of ours, of one type. */
export const dataOf = (message: UIMessage | undefined, type: string): unknown[] =>
  (message?.parts ?? []).flatMap((part) => (part.type === type && 'data' in part ? [part.data] : []))

export const toolsOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).filter((part) => part.type === 'dynamic-tool')
