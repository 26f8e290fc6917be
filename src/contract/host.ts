import type { Egress } from './workspace.ts'

// What keeper and host say to each other. The host dials: it connects to the keeper's socket, says one line of JSON (Hello), and
// from then on the connection is what `purpose` says. Types only: neither of the two carries zod, and the keeper trusts nothing
// that it hears here further than to hand it on, bounded.

export const HOST_PROTOCOL = 1

/** Where the host finds what it needs inside a boundary. */
export const inside = {
  root: '/workspace',
  /** Homes of agents, one folder for each session. */
  homes: '/home/agent',
  /** The host's own among them: on the disk, for /tmp is memory. */
  scratch: '/home/agent/.signalbox',
  /** In memory: a pipe takes no room, and can be had when the disk is full. */
  pipes: '/tmp/.signalbox',
  /** host.mjs, rg, and node where the image need not have one. Read-only. */
  runtime: '/opt/signalbox',
  /** The folder with the keeper's socket. Read-only. */
  socketFolder: '/run/signalbox',
  socket: '/run/signalbox/keeper.sock',
  /** HTTP proxy on loopback, for whoever honours HTTPS_PROXY. */
  proxyPort: 3128,
  /** Loopback too: `/<name>/…` goes to the forward of that name. */
  forwardPort: 3129,
  /** The tools over plain HTTP, with MCP at /mcp. */
  toolPort: 3001,
  /** Health of all that runs in here, and restart of the app. */
  healthPort: 4321,
} as const

const proxy = `http://127.0.0.1:${inside.proxyPort}`
const withoutProxy = '127.0.0.1,localhost,::1'

/** What tells programs inside where the way out is. */
export const proxyVariables: Readonly<Record<string, string>> = {
  HTTP_PROXY: proxy,
  HTTPS_PROXY: proxy,
  http_proxy: proxy,
  https_proxy: proxy,
  NO_PROXY: withoutProxy,
  no_proxy: withoutProxy,
  NODE_USE_ENV_PROXY: '1',
}

/** What apps usually listen on. Inside walls nothing but the workspace can be meant by them. */
export const usualPorts = { first: 8000, last: 8100 } as const

/** Where programs are inside; those that we bring come last. */
export const insidePath = `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${inside.runtime}`

/** The first line on every connection that the host makes. */
export interface Hello {
  protocol: number
  /**
   * `serve`: the host answers HTTP/2 on it, and there is one of these. `egress`: an HTTP proxy's client. `forward`: an HTTP/1.1
   * client whose paths begin with the name of a forward.
   */
  purpose: 'serve' | 'egress' | 'forward'
  /** Of `serve`. */
  pid?: number
  node?: string
}

// Over HTTP/2, keeper to host:
//   POST /tools/:name          {input} → 200 {data} | 4xx {error: {code, message, context?}}
//   POST /tools/command/stream {input} → 200, NDJSON of CommandPiece
//   POST /programs             frames both ways, see ProgramFrame
//   POST /programs/end         {mark, graceMs} → {isDead}
//   GET  /ports/:port          a stream of bytes both ways: a connection to 127.0.0.1:port
//   GET  /health               HostHealth
//   POST /app                  {action: 'start' | 'stop' | 'restart'} → AppState

/** How the bytes of a program travel: one byte of kind, four of length (big endian), then so many bytes. */
export const ProgramFrame = {
  /** To the host, first: JSON of ProgramAsked. */
  ask: 0,
  stdin: 1,
  stdinEnd: 2,
  /** To the keeper. JSON {pid}, or {message} when it could not be started. */
  started: 10,
  notStarted: 11,
  stdout: 12,
  stderr: 13,
  /** JSON of ProgramEnd, at once: what it has started may hold its outputs open. */
  ended: 14,
  stdoutEnd: 15,
  stderrEnd: 16,
} as const

export interface ProgramAsked {
  file: string
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  takesInput: boolean
  mark: string
}

export interface AppState {
  state: 'none' | 'starting' | 'running' | 'failing' | 'stopped'
  command: string | null
  port: number | null
  pid: number | null
  restarts: number
  /** Its last lines. */
  said: string
}

export interface HostHealth {
  status: 'ok'
  protocol: number
  pid: number
  node: string
  uptimeMs: number
  programs: number
  app: AppState
  /** What could not be had inside: ports that somebody else has. */
  troubles?: readonly string[]
}

/** What the host is started with, as JSON in the variable SIGNALBOX_HOST, which it takes out of its environment. */
export interface HostSetup {
  root: string
  socket: string
  /** Of the variable that marks processes. */
  markName: string
  rg: string | null
  /** The app's own server, kept alive. */
  app: { command: string; port: number } | null
  /** Where outputs that were too long are kept for a while. All that is in there when the host starts is removed. */
  scratch: string
  /** Where pipes are made, which have no names for longer than a moment. */
  pipes: string
  egress: Egress
  /** Rules for commands that come over the tool port: what a person would be asked for is refused there. */
  commandRules: readonly CommandRule[]
  /** It has the machine's own loopback, where it must open no ports. */
  withoutPorts?: boolean
}

export interface CommandRule {
  pattern: string
  decision: 'allow' | 'ask' | 'deny'
}
