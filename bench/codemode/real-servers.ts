import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installPackages } from '../../test/support/install-packages.ts'

const peers = join(import.meta.dirname, '../peers/servers')

/** Each as its makers publish it. They list their tools without anything to log in to; none of the keys is one. */
const servers = (folder: string): Record<string, { script: string; args?: string[]; env?: object }> => ({
  brave: { script: '@brave/brave-search-mcp-server/dist/index.js', args: ['--brave-api-key', 'none'] },
  chrome: { script: 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js' },
  context7: { script: '@upstash/context7-mcp/dist/index.js' },
  filesystem: { script: '@modelcontextprotocol/server-filesystem/dist/index.js', args: [folder] },
  github: { script: '@modelcontextprotocol/server-github/dist/index.js' },
  gitlab: { script: '@zereight/mcp-gitlab/build/index.js', env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' } },
  memory: {
    script: '@modelcontextprotocol/server-memory/dist/index.js',
    env: { MEMORY_FILE_PATH: join(folder, '.memory.jsonl') },
  },
  notion: { script: '@notionhq/notion-mcp-server/bin/cli.mjs' },
  playwright: { script: '@playwright/mcp/cli.js' },
  slack: {
    script: '@modelcontextprotocol/server-slack/dist/index.js',
    env: { SLACK_BOT_TOKEN: 'none', SLACK_TEAM_ID: 'none' },
  },
})

export interface RealServers {
  /** As a source is added. `folder` is what the one for files sees. */
  sources: { name: string; config: object }[]
  /** How many tokens a text is, by o200k_base, which the models of OpenAI use. Others count about the same. */
  tokensIn: (text: string) => number
}

export async function installRealServers(folder: string): Promise<RealServers> {
  const place = await installPackages({
    folder: peers,
    cache: join(import.meta.dirname, '../../node_modules/.cache/bench-servers'),
    called: 'the servers whose tools are counted',
  })
  const modules = join(place, 'node_modules')
  const tokenizer = pathToFileURL(join(modules, 'gpt-tokenizer/esm/encoding/o200k_base.js'))
  const { encode }: { encode: (text: string) => number[] } = await import(tokenizer.href)
  const sources = Object.entries(servers(folder)).map(([name, { script, args = [], env = {} }]) => ({
    name,
    config: {
      transport: 'stdio',
      command: process.execPath,
      args: [join(modules, script), ...args],
      env,
      timeout: 60_000,
    },
  }))
  return { sources, tokensIn: (text) => encode(text).length }
}
