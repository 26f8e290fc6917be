import { z } from 'zod'
import {
  anyText,
  decimal,
  duration,
  flag,
  httpUrl,
  oneOf,
  path,
  port,
  secret,
  size,
  text,
  wholeNumber,
} from './leaf.ts'
import type { Place } from './leaf.ts'

// What code mode and the tool sources are given.

const SECOND = 1000
const MEGABYTE = 1024 ** 2

export const sandboxShape = z
  .strictObject({
    runtime: oneOf(['quickjs']).default('quickjs').describe('What runs code; there is one'),
    workers: z
      .strictObject({
        min: wholeNumber(0, 50, 2).default(2).describe('Sandboxes kept ready'),
        max: wholeNumber(1, 50, 10)
          .optional()
          .meta({ description: 'Sandboxes at most', byDefault: 'one for each core' }),
        idleTimeout: duration('30s')
          .default(30 * SECOND)
          .describe('A spare sandbox is let go after this'),
      })
      .prefault({}),
    limits: z
      .strictObject({
        memory: size('128MB')
          .default(128 * MEGABYTE)
          .describe('Memory of one execution'),
        timeout: duration('30s')
          .default(30 * SECOND)
          .describe('Time of one execution'),
        cpuQuota: decimal(0.01, 64, 0.5).default(0.5).describe('Share of one core that one may use'),
      })
      .prefault({}),
  })
  .prefault({})

const strings = (wanted: string, example: string) => z.array(text(wanted, example)).max(1000)

export const capabilitiesShape = (place: Place) =>
  z
    .strictObject({
      network: z
        .strictObject({
          allowedHosts: strings('a host name', 'api.example.com')
            .default([])
            .describe('Hosts that code may call'),
          allowedPorts: z
            .array(port(443))
            .max(1000)
            .default([])
            .describe('Ports that code may call; none named: any'),
          maxRequestsPerSecond: decimal(0.01, 10_000, 10).default(10).describe('Faster calls wait'),
          maxRequestSize: size('1MB').default(MEGABYTE).describe('Size of one request or answer'),
          timeout: duration('5s')
            .default(5 * SECOND)
            .describe('Time of one request'),
        })
        .prefault({}),
      filesystem: z
        .strictObject({
          allowedPaths: z
            .array(path(place, './data'))
            .max(1000)
            .default([])
            .describe('Folders that code may read'),
          readOnly: flag().default(true).describe('false lets code write there too'),
          maxFileSize: size('1MB').default(MEGABYTE).describe('Size of one file'),
          allowedExtensions: strings('a file ending', '.json')
            .default([])
            .describe('Endings; none named: any'),
        })
        .prefault({}),
      mcp: z
        .strictObject({
          allowedServers: strings('the name of a server', 'helpscout')
            .default([])
            .describe('Servers that code may call'),
          allowedTools: strings('the name of a tool', 'helpscout.search')
            .default([])
            .describe('Tools; none named: any'),
          maxCallsPerSecond: decimal(0.01, 10_000, 5).default(5).describe('Faster calls wait'),
          maxConcurrentCalls: wholeNumber(1, 1000, 3).default(3).describe('Calls at the same time'),
          timeout: duration('10s')
            .default(10 * SECOND)
            .describe('Time of one call'),
        })
        .prefault({}),
      system: z
        .strictObject({ time: flag().default(false).describe('true lets code read the real clock') })
        .prefault({}),
    })
    .prefault({})

const variables = z.record(z.string(), anyText())

const McpServer = z
  .strictObject({
    transport: oneOf(['stdio', 'http', 'sse', 'websocket']).describe('How the server is spoken to'),
    command: text('a program', 'npx').optional().describe('stdio: the program'),
    args: z.array(anyText()).max(1000).default([]).describe('stdio: its arguments'),
    environment: variables.optional().describe('stdio: its variables'),
    env: variables.optional().describe('The same as `environment`, which wins'),
    url: z
      .union(
        [httpUrl('https://host/mcp'), z.url({ protocol: /^wss?$/ })],
        'must be an http, https, ws or wss address',
      )
      .optional()
      .describe('The address, for every other transport'),
    headers: variables.optional().describe('Headers of every request'),
    auth: z
      .strictObject({
        type: oneOf(['bearer', 'oauth']).default('bearer').describe('How the server knows us'),
        token: secret().optional().describe('bearer: the token'),
        clientId: text().optional().describe('oauth: the client'),
        clientSecret: secret().optional().describe('oauth: its secret'),
        scopes: z.array(text()).max(100).default([]).describe('oauth: what is asked for'),
      })
      .optional(),
    timeout: duration('30s')
      .default(30 * SECOND)
      .describe('Time of one call'),
    retryPolicy: z
      .strictObject({
        maxRetries: wholeNumber(0, 100, 3).default(3).describe('How often a call is tried again'),
        initialDelay: duration('500ms').default(500).describe('The wait before the second try; it doubles'),
        maxDelay: duration('30s')
          .default(30 * SECOND)
          .describe('The longest wait'),
      })
      .prefault({}),
  })
  .superRefine((server, context) => {
    const needed = server.transport === 'stdio' ? 'command' : 'url'
    if (server[needed] !== undefined) return
    context.addIssue({
      code: 'custom',
      message: `is missing: transport ${server.transport} needs it`,
      path: [needed],
    })
  })
  .transform(({ env, environment, ...server }) => ({ ...server, env: { ...env, ...environment } }))

export const mcpShape = z
  .strictObject({ servers: z.record(z.string(), McpServer).default({}).describe('Tool servers, by name') })
  .prefault({})
