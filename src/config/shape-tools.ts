import { z } from 'zod'
import { SourceTransport, neededBy } from '#contract/source.ts'
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

const McpServer = (place: Place) =>
  z
    .strictObject({
      transport: oneOf(SourceTransport.options).describe('What it is, and how it is spoken to'),
      description: text().optional().describe('What it is for, to people and agents'),
      command: text('a program', 'npx').optional().describe('stdio: the program'),
      args: z.array(anyText()).max(1000).default([]).describe('stdio: its arguments'),
      cwd: path(place, './tools').optional().describe('stdio: the folder it is started in'),
      environment: variables.optional().describe('stdio: its variables'),
      env: variables.optional().describe('The same as `environment`, which wins'),
      url: z
        .union(
          [httpUrl('https://host/mcp'), z.url({ protocol: /^wss?$/ })],
          'must be an http, https, ws or wss address',
        )
        .optional()
        .describe('The address, for every other transport; openapi: of the document, or of the calls'),
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
      document: text('an OpenAPI document').optional().describe('openapi: the document itself, as text'),
      module: path(place, './tools/weather.mjs')
        .optional()
        .describe('langchain: the module that exports tools'),
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
      rateLimit: wholeNumber(1, 1_000_000, 6000)
        .default(6000)
        .describe('Calls a minute, of everybody together'),
      maxConcurrent: wholeNumber(1, 1000, 16).default(16).describe('Calls at the same time; others wait'),
      grants: strings('`*`, `users`, `agents`, or the name or id of one', 'agents')
        .default(['*'])
        .meta({ description: 'Who may call its tools, besides the owner', byDefault: 'everybody' }),
      tools: strings('the name of a tool, or a pattern with `*`', 'read_*')
        .default([])
        .describe('Only these of its tools; none named: all'),
      enabled: flag().default(true).describe('false keeps it, and does not use it'),
    })
    .superRefine((server, context) => {
      const needed = neededBy[server.transport]
      if (needed.some((field) => server[field] !== undefined)) return
      context.addIssue({
        code: 'custom',
        message: `is missing: transport ${server.transport} needs it`,
        path: [needed[0]],
      })
    })
    .transform(({ env, environment, ...server }) => ({ ...server, env: { ...env, ...environment } }))

export const mcpShape = (place: Place) =>
  z
    .strictObject({
      servers: z.record(z.string(), McpServer(place)).default({}).describe('Tool servers, by name'),
    })
    .prefault({})
