import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { inertLine } from '#lib/inert-text.ts'
import { shorten } from '#lib/text-width.ts'
import type { Finding, Probe } from './probe.ts'
import { runCommand } from './run-command.ts'

interface Program {
  name: string
  command: string
  args: string[]
  purpose: string
  /** How to get it. */
  get: string
}

const programs: Program[] = [
  {
    name: 'git',
    command: 'git',
    args: ['--version'],
    purpose: 'worktrees, diffs and commits',
    get: 'apt install git',
  },
  {
    name: 'tmux',
    command: 'tmux',
    args: ['-V'],
    purpose: 'terminals that outlive the browser',
    get: 'apt install tmux',
  },
  {
    name: 'ripgrep',
    command: 'rg',
    args: ['--version'],
    purpose: 'fast search in workspaces',
    get: 'apt install ripgrep',
  },
]

const agent = (name: string, command: string, get: string): Program => ({
  name,
  command,
  args: ['--version'],
  purpose: 'a coding agent',
  get,
})

const agents: Program[] = [
  agent('Claude Code', 'claude', 'npm install -g @anthropic-ai/claude-code'),
  agent('Codex', 'codex', 'npm install -g @openai/codex'),
  agent('Gemini CLI', 'gemini', 'npm install -g @google/gemini-cli'),
  agent('opencode', 'opencode', 'npm install -g opencode-ai'),
]

export const programProbes = (env: NodeJS.ProcessEnv): Probe[] =>
  programs.map((program) => probeOf(program, env))
export const agentProbes = (env: NodeJS.ProcessEnv): Probe[] => agents.map((program) => probeOf(program, env))

function probeOf({ name, command, args, purpose, get }: Program, env: NodeJS.ProcessEnv): Probe {
  return {
    name,
    purpose,
    required: false,
    async look(signal): Promise<Finding> {
      const path = findProgram(command, env)
      if (!path) return { verdict: 'missing', found: 'not found', advice: get }
      const { code, output } = await runCommand(path, args, signal)
      if (code === 0) return { verdict: 'ok', found: versionIn(output) }
      return {
        verdict: 'missing',
        found: `${path} does not run: ${firstLine(output) || `exit code ${code}`}`,
        advice: get,
      }
    },
  }
}

export function findProgram(command: string, env: NodeJS.ProcessEnv): string | undefined {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, command))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const versionIn = (output: string) => /\d+(?:\.\d+)+[\w.+-]*/.exec(output)?.[0] ?? firstLine(output)

export const firstLine = (output: string): string =>
  shorten(inertLine(output.trim().split('\n')[0] ?? ''), 200)
