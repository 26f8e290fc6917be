import pg from 'pg'
import { probeDocker } from '#boundaries/docker/probe.ts'
import { agentProbes, programProbes } from '#cli/doctor/programs.ts'
import { boundaryProbes } from '#cli/doctor/boundaries.ts'
import { machineProbes } from '#cli/doctor/machine.ts'
import { examine } from '#cli/doctor/probe.ts'
import type { Finding, Probe } from '#cli/doctor/probe.ts'
import { isHealthy, writeReport } from '#cli/doctor/report.ts'
import type { Section } from '#cli/doctor/report.ts'
import { findRunning } from '#cli/connection.ts'
import type { Screen } from '#cli/screen.ts'
import { loadConfig } from '#config/config.ts'
import type { Config } from '#config/config.ts'
import { ConfigError } from '#config/config-error.ts'
import { chooseAccount } from '#db/embedded/account.ts'
import { prepareBinaries } from '#db/embedded/binaries.ts'
import { runProgram } from '#db/embedded/run-program.ts'
import { homeOf } from '#lib/home.ts'
import { redactText } from '#lib/redact.ts'

/** Looks at everything Signalbox needs or can use on this machine. Answers with the exit code. */
export async function doctor(
  screen: Screen,
  env: NodeJS.ProcessEnv,
  { json }: { json?: boolean },
): Promise<number> {
  const loaded = load(env)
  const home = loaded.config?.home ?? homeOf(env, process.cwd())
  const machine = machineProbes({
    home,
    host: loaded.config?.host ?? '127.0.0.1',
    port: loaded.config?.port ?? 4100,
    terminalPort: loaded.config?.terminalPort ?? 4101,
    minFreeDiskBytes: loaded.config?.worker.minFreeDiskBytes ?? 5 * 1024 ** 3,
    running: findRunning(home),
  })
  const configuration: Probe = {
    name: 'Configuration',
    purpose: 'environment and YAML',
    required: true,
    look: async () => loaded.finding,
  }
  const postgres: Probe = {
    name: 'Postgres',
    purpose: 'the database',
    required: true,
    look: () =>
      loaded.config?.databaseUrl ? lookAtDatabase(loaded.config.databaseUrl) : lookAtEmbedded(home),
  }
  const image = loaded.config?.worker.workspaceImage ?? null
  const titled: [string, Probe[]][] = [
    ['Required', [configuration, postgres, ...machine]],
    ['Tools', [...programProbes(env), ...boundaryProbes(env, () => probeDocker(image, env))]],
    ['Agents', agentProbes(env)],
  ]
  const sections: Section[] = await Promise.all(
    titled.map(async ([title, probes]) => ({ title, results: await examine(probes) })),
  )
  const healthy = isHealthy(sections)
  if (json)
    screen.write(
      `${JSON.stringify({ healthy, findings: sections.flatMap(({ results }) => results) }, null, 2)}\n`,
    )
  else writeReport(screen, sections)
  return healthy ? 0 : 1
}

function load(env: NodeJS.ProcessEnv): { config?: Config; finding: Finding } {
  try {
    const config = loadConfig({ env, cwd: process.cwd() })
    return {
      config,
      finding: { verdict: 'ok', found: config.configFile ?? 'defaults and environment, no YAML file' },
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const found = error.complaints.map(({ where, path, what }) => `${where}: ${path} ${what}`).join('; ')
    return {
      finding: { verdict: 'missing', found, advice: 'signalbox up lists every mistake on a line of its own' },
    }
  }
}

async function lookAtEmbedded(home: string): Promise<Finding> {
  const account = await chooseAccount(home, await prepareBinaries(home))
  const { code, output } = await runProgram(account, 'postgres', ['--version'], { as: account.server })
  const version = /\d+(\.\d+)*/.exec(output)?.[0] ?? output.trim()
  if (code === 0) return { verdict: 'ok', found: `${version}, embedded` }
  return {
    verdict: 'missing',
    found: output.trim() || 'does not run',
    advice: 'set DATABASE_URL to a Postgres of your own',
  }
}

async function lookAtDatabase(url: string): Promise<Finding> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 4_000,
    application_name: 'signalbox doctor',
  })
  client.on('error', () => undefined) // a lost connection also rejects the query under way
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return { verdict: 'ok', found: `${rows[0]?.server_version ?? ''}, at DATABASE_URL` }
  } catch (error) {
    const reason = redactText(error instanceof Error ? error.message || error.name : String(error))
    return {
      verdict: 'missing',
      found: `DATABASE_URL is not reachable: ${reason}`,
      advice: 'start it, or unset DATABASE_URL to use the embedded one',
    }
  } finally {
    await client.end().catch(() => undefined)
  }
}
