import { z } from 'zod'
import { LogLevel } from '#contract/settings.ts'
import {
  duration,
  flag,
  hostAndPort,
  httpUrl,
  oneOf,
  origin,
  path,
  port,
  secret,
  size,
  socketUrl,
  text,
  wholeNumber,
} from './leaf.ts'
import type { Place } from './leaf.ts'
import { capabilitiesShape, mcpShape, sandboxShape } from './shape-tools.ts'
import { agentsShape, budgetsShape, modelsShape, policiesShape, workspacesShape } from './shape-work.ts'

/** The tree of signalbox.config.yaml. The environment is checked against the same tree (environment.ts). */
export const shapeAt = (place: Place) =>
  z.strictObject({
    server: serverShape,
    database: z
      .strictObject({
        url: databaseUrl().optional().describe('A Postgres of your own instead of the embedded one'),
      })
      .prefault({}),
    worker: workerShape,
    terminal: terminalShape,
    logging: loggingShape(place),
    security: securityShape(place),
    models: modelsShape,
    chat: chatShape,
    sessions: z
      .strictObject({
        ttl: duration('24h')
          .default(86_400_000)
          .describe('Idle containers and agents older than this are ended'),
      })
      .prefault({}),
    sandbox: sandboxShape,
    mcp: mcpShape(place),
    agents: agentsShape(place).default({}).describe('Agents, by name'),
    workspaces: workspacesShape(place).default({}).describe('Workspaces, by name'),
    policies: policiesShape.default({}).describe('Who may do what without asking, by name'),
    budgets: budgetsShape,
    bridge: bridgeShape(place),
  })

export type Shape = z.infer<ReturnType<typeof shapeAt>>

const serverShape = z
  .strictObject({
    host: text('a host name or address', '127.0.0.1').default('127.0.0.1').describe('Where it listens'),
    port: port(4100).default(4100).describe('The port of the UI and the API'),
    terminalPort: port(4101).default(4101).describe('The port of terminals'),
    publicUrl: origin('https://signalbox.example.com')
      .optional()
      .describe('How browsers reach it from elsewhere'),
    trustProxy: flag().default(false).describe('true believes the X-Forwarded headers of a proxy in front'),
    cors: z
      .strictObject({
        enabled: flag().default(false).describe('true lets the pages of other origins call the API'),
        origins: z
          .array(origin('http://localhost:3000'))
          .max(100)
          .default([])
          .describe('These origins, each by name; there is no `*`'),
      })
      .prefault({}),
  })
  .prefault({})

const workerShape = z
  .strictObject({
    id: text('a name', 'build-1')
      .optional()
      .meta({ description: "The worker's name", byDefault: "the machine's id" }),
    url: httpUrl('http://10.0.0.5:4102').optional().describe('How other machines reach this worker'),
    listen: hostAndPort('10.0.0.5:4102').optional().describe('Where it listens for other machines'),
    maxConcurrent: wholeNumber(1, 1000, 3).default(3).describe('Live executions of coding agents'),
    heartbeatInterval: duration('5s').default(5000).describe('How often a worker says that it lives'),
    staleAfter: duration('30s').default(30_000).describe('Silent for longer, a worker is out of reach'),
    lostAfter: duration('1h')
      .default(3_600_000)
      .describe('Silent for longer, what ran on its machine is given up, and ended there should it return'),
    approvalExpires: duration('24h')
      .default(86_400_000)
      .describe('A question that nobody answers is refused after this time'),
    agentIdle: duration('15m')
      .default(900_000)
      .describe('How long an agent waits for the next turn before its process is ended; the session stays'),
    stallAfter: duration('2m')
      .default(120_000)
      .describe('An agent that says nothing for longer is shown as stalled; it is never ended for that'),
    minFreeDisk: size('5GB')
      .default(5 * 1024 ** 3)
      .describe('With less free disk nothing new is started'),
    workspaceImage: text('an image', 'node:24-bookworm-slim')
      .default('node:24-bookworm-slim')
      .describe(
        'docker: the image of workspaces that name none. It is never fetched: `docker pull` it first',
      ),
  })
  .prefault({})

const terminalShape = z
  .strictObject({
    url: socketUrl('wss://signalbox.example.com/terminal').optional().meta({
      description: 'How browsers reach the terminals of this machine',
      byDefault: 'at their port, by the name that the page has; with PUBLIC_URL through that',
    }),
    idle: duration('30m')
      .default(1_800_000)
      .describe(
        'A terminal in which nothing is typed or shown for so long is let go; what runs in it goes on',
      ),
    maxViewers: wholeNumber(1, 1000, 64)
      .default(64)
      .describe('How many terminals can be open on this machine'),
    maxPerWindow: wholeNumber(1, 1000, 16).default(16).describe('How many can look at the same window'),
  })
  .prefault({})

const loggingShape = (place: Place) =>
  z
    .strictObject({
      level: oneOf(LogLevel.options).default('info').describe('What is worth a line'),
      format: oneOf(['auto', 'json', 'pretty'])
        .default('auto')
        .describe('Of the console; `auto` is `pretty` in a terminal and `json` elsewhere'),
      dir: path(place, './logs')
        .optional()
        .meta({ description: 'Where log files go', byDefault: '`logs` in the home' }),
      retentionDays: wholeNumber(1, 3650, 30).default(30).describe('Older log files are removed'),
      outputs: z
        .array(
          z.strictObject({
            type: oneOf(['console', 'file']).describe('Where lines go'),
            path: path(place, './logs/signalbox.log')
              .optional()
              .describe('file: instead of one in `logging.dir`'),
            rotation: oneOf(['daily', 'none'])
              .default('daily')
              .describe('file: `daily` puts the date in its name'),
          }),
        )
        .max(10)
        .default([
          { type: 'console', rotation: 'daily' },
          { type: 'file', rotation: 'daily' },
        ])
        .meta({ description: 'Where lines go', byDefault: 'the console and a file' }),
    })
    .prefault({})

const securityShape = (place: Place) =>
  z
    .strictObject({
      auth: z
        .strictObject({
          provider: oneOf(['token', 'jwt', 'oauth2'], { oidc: 'oauth2' })
            .optional()
            .describe(
              '`oauth2` needs `issuer`; by default whatever is set up works beside the owner’s token',
            ),
          issuer: httpUrl('https://auth.example.com')
            .optional()
            .describe('An OpenID issuer whose tokens are accepted'),
          audience: text('an audience', 'signalbox').optional().describe('For whom those tokens must be'),
          jwtSecret: text('a secret of at least 32 characters', '"${MY_SECRET}"')
            .refine(
              (value) => value.length >= 32,
              'must be a secret of at least 32 characters, for example "${MY_SECRET}"',
            )
            .optional()
            .meta({
              description: 'A shared secret whose tokens (HS256) are accepted',
              byDefault: 'generated',
            }),
        })
        .prefault({}),
      allowedWorkingDirs: z
        .array(path(place, './project'))
        .max(1000)
        .optional()
        .meta({ description: 'Where agents may work', byDefault: 'the folder where it was started' }),
      allowedBinaryDirs: z
        .array(path(place, '/usr/bin'))
        .max(1000)
        .optional()
        .meta({ description: 'Where programs may be', byDefault: 'the folders of PATH' }),
      capabilities: capabilitiesShape(place),
    })
    .prefault({})

const chatShape = z
  .strictObject({
    maxOutputTokens: wholeNumber(1, 10_000_000, 8192).default(8192).describe('Longest answer of a model'),
    maxHistoryTokens: wholeNumber(1, 100_000_000, 30_000)
      .default(30_000)
      .describe('What a model is shown of the past'),
    maxHistoryMessages: wholeNumber(1, 1_000_000, 50).default(50).describe('The same, in messages'),
    compression: flag().default(false).describe('true keeps old messages compressed'),
    summaries: flag().default(false).describe('true lets the model sum up what it is not shown any more'),
  })
  .prefault({})

const bridgeShape = (place: Place) =>
  z
    .strictObject({
      command: text('a program', 'claude-agent-acp')
        .default('claude-agent-acp')
        .describe('The bridge: the agent that it speaks for'),
      args: z.array(text('an argument', '--flag')).max(1000).default([]).describe('Its arguments'),
      cwd: path(place, './project')
        .optional()
        .meta({ description: 'Where it works', byDefault: 'the folder where it was started' }),
      sessionFile: path(place, './agent-session.json')
        .optional()
        .meta({ description: 'Where its session is remembered', byDefault: '`$TMPDIR/agent-session.json`' }),
      permissions: oneOf(['ask', 'reads', 'all', 'deny'])
        .default('ask')
        .describe('How its questions are answered'),
      token: secret().optional().describe('What callers must show'),
      timeout: duration('1h')
        .default(3_600_000)
        .describe('Time of one turn; while a person is asked, none passes'),
    })
    .prefault({})

function databaseUrl() {
  return text('a Postgres address', 'postgres://user:password@host/database').refine(
    (value) => /^postgres(ql)?:\/\//.test(value),
    'must be a Postgres address, for example postgres://user:password@host/database',
  )
}
