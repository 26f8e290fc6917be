import { z } from 'zod'
import { AgentKind } from '#contract/agent.ts'
import { ModelProvider } from '#contract/settings.ts'
import { anyText, decimal, flag, httpUrl, oneOf, path, secret, text, wholeNumber } from './leaf.ts'
import type { Place } from './leaf.ts'

// Who works, where, with which model, under which rules and for how much.

const provider = (name: string, example: string) =>
  z
    .strictObject({
      apiKey: secret().optional().describe(`API key of ${name}`),
      baseUrl: httpUrl(example).optional().describe(`Another address for ${name}`),
    })
    .prefault({})

export const modelsShape = z
  .strictObject({
    provider: oneOf(ModelProvider.options, { claude: 'anthropic', gemini: 'google' })
      .optional()
      .describe('Who answers chat; `claude` is anthropic and `gemini` is google'),
    model: text('the name of a model', 'claude-sonnet-4-5').optional().describe('Which model answers chat'),
    anthropic: provider('Anthropic', 'https://api.anthropic.com'),
    openai: provider('OpenAI', 'https://api.openai.com/v1'),
    google: provider('Google', 'https://generativelanguage.googleapis.com/v1beta'),
    compatible: provider('whatever speaks as OpenAI does', 'http://127.0.0.1:11434/v1'),
  })
  .prefault({})

const permissionPolicy = () => oneOf(['ask', 'reads', 'all', 'deny'])

export const agentsShape = (place: Place) =>
  z.record(
    z.string(),
    z.strictObject({
      kind: oneOf(AgentKind.options).default('coding').describe('What it is'),
      adapter: oneOf(['template', 'claude', 'codex', 'acp', 'terminal', 'chat']).describe(
        'How it is spoken to',
      ),
      binaryPath: text('a program', 'claude').optional().describe('The program'),
      args: z.array(anyText()).max(1000).default([]).describe('Its arguments'),
      envAllowlist: z
        .array(text('a variable', 'LANG'))
        .max(1000)
        .default([])
        .describe('Variables it may see'),
      workingDir: path(place, './project').optional().describe('Where it starts'),
      model: text('the name of a model', 'claude-sonnet-4-5').optional().describe('Its model'),
      permissionPolicy: text('ask, reads, all, deny or the name of a policy', 'ask')
        .default('ask')
        .describe('How its questions are answered'),
      maxConcurrent: wholeNumber(1, 1000, 3).optional().describe('Executions at once; more are refused'),
      maxBudgetUsd: decimal(0, 100_000, 5).default(5).describe('Spend of one execution'),
      maxTurns: wholeNumber(1, 10_000, 50).default(50).describe('Turns of one execution'),
      memoryMb: wholeNumber(64, 1_048_576, 2048).default(2048).describe('Memory of its processes'),
      allowedTools: z
        .array(text('a tool', 'board.create_task'))
        .max(1000)
        .default([])
        .describe('Tools it may call'),
      active: flag().default(true).describe('false keeps it from being started'),
    }),
  )

export const workspacesShape = (place: Place) =>
  z.record(
    z.string(),
    z.strictObject({
      driver: oneOf(['folder', 'sandbox', 'docker']).default('folder').describe('What encloses it'),
      root: path(place, './project').optional().describe('folder: where the files are'),
      source: z
        .strictObject({
          git: text('a repository', 'https://host/repo.git')
            .optional()
            .describe('A repository that is cloned'),
          ref: text('a branch, tag or commit', 'main').optional().describe('git: what is checked out'),
          archive: path(place, './project.tar.gz').optional().describe('An archive that is unpacked'),
          path: path(place, './project').optional().describe('A folder that is copied'),
        })
        .optional()
        .describe('Where the files come from: `git` with `ref`, `archive`, or `path`'),
      image: text('an image', 'node:24').optional().describe('docker: the image'),
      egress: z
        .union(
          [z.enum(['none', 'model', 'open']), z.array(text('a host', 'registry.npmjs.org')).max(1000)],
          'must be none, model, open or a list of hosts',
        )
        .default('model')
        .describe('What it may reach: `none`, `model` (its model alone), `open`, or a list of hosts'),
      ports: z
        .array(wholeNumber(1, 65_535, 8000))
        .max(200)
        .default([])
        .describe('Ports that can be previewed'),
      setup: text('a command', 'npm install').optional().describe('Runs first'),
      app: z
        .strictObject({
          command: text('a command', 'npm run dev').describe('Starts it; it listens at `PORT`'),
          port: wholeNumber(1024, 65_535, 3000).describe('Where it listens'),
        })
        .optional()
        .describe('The server of the app, which is kept alive'),
      worktrees: flag()
        .optional()
        .describe('folder: whether sessions get worktrees of their own; they do unless it is false'),
      logins: z
        .array(oneOf(['claude', 'codex', 'gemini', 'opencode']))
        .max(4)
        .optional()
        .describe('sandbox, docker: the logins of agents that are copied into it'),
    }),
  )

export const policiesShape = z.record(
  z.string(),
  z.strictObject({
    default: permissionPolicy().default('ask').describe('What holds when no rule does'),
    rules: z
      .array(
        z.strictObject({
          tool: text('a tool, with * for any', 'files.*').describe('The tool, `*` for any part'),
          argument: text('an argument, with * for any', 'npm test*')
            .optional()
            .describe('Its argument, `*` for any part'),
          decision: oneOf(['allow', 'ask', 'deny']).describe('What is answered'),
        }),
      )
      .max(1000)
      .default([])
      .describe('The first that fits decides'),
  }),
)

export const budgetsShape = z
  .strictObject({
    perExecutionUsd: decimal(0, 100_000, 5).default(5).describe('What one execution may spend'),
    perDayUsd: decimal(0, 1_000_000, 50).optional().describe('What all of them may spend in a day'),
  })
  .prefault({})
