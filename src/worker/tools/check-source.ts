import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { Config } from '#config/config.ts'
import type { SourceConfig } from '#contract/source.ts'
import { Problem } from '#domain/problem.ts'
import { isLoopback } from '#lib/loopback.ts'
import { onPath } from '#lib/on-path.ts'
import { checkBinary, checkSource, checkWorkingDir } from '../check-paths.ts'
import { binaryDirs } from '../presets.ts'
import { passwordAsHeader } from './address-password.ts'
import { badSource } from './bad-source.ts'
import { checkCharacters } from './check-characters.ts'

export interface CheckNeeds {
  config: Config
  env: NodeJS.ProcessEnv
  /** Where webs of ours are reached. */
  ourAddresses: () => Promise<readonly string[]>
}

/** The same source as it is opened, by real paths, if this machine allows it. Its variables are filled in. */
export async function checkPlaces(config: SourceConfig, needs: CheckNeeds): Promise<SourceConfig> {
  const { allowedWorkingDirs, home } = needs.config
  const { transport, command, cwd, url, module } = config
  checkCharacters(config)
  if (transport === 'stdio' && command !== undefined) {
    const program = await asField('command', programOf(command, needs))
    const folder =
      cwd === undefined ? undefined : await asField('cwd', checkWorkingDir(cwd, allowedWorkingDirs, home))
    return { ...config, command: program, ...(folder !== undefined && { cwd: folder }) }
  }
  if (transport === 'langchain' && module !== undefined) {
    const file = await asField('module', checkSource(module, allowedWorkingDirs, home))
    if (!(await stat(file)).isFile()) throw badSource('module', `${module} is not a file`)
    return { ...config, module: file }
  }
  if (url === undefined) return config
  await checkAddress(transport, url, needs)
  return passwordAsHeader(config, url)
}

async function programOf(command: string, { config, env }: CheckNeeds): Promise<string> {
  if (command.includes('/') && !isAbsolute(command))
    throw badSource('command', `${command} must be the name of a program on PATH, or an absolute path`)
  const found = isAbsolute(command) ? command : onPath(command, env['PATH'] ?? '')
  if (found === undefined)
    throw badSource('command', `there is no program ${command} on the PATH of this machine`)
  if (found === process.execPath) return found // what Signalbox itself runs with
  return checkBinary(found, binaryDirs(config))
}

const schemes: Partial<Record<SourceConfig['transport'], RegExp>> = {
  websocket: /^wss?:$/,
  http: /^https?:$/,
  sse: /^https?:$/,
  openapi: /^https?:$/,
}

async function checkAddress(
  transport: SourceConfig['transport'],
  url: string,
  needs: CheckNeeds,
): Promise<void> {
  const address = URL.parse(url)
  const wanted = schemes[transport]
  if (!address || !wanted?.test(address.protocol))
    throw badSource(
      'url',
      `must be ${transport === 'websocket' ? 'a ws or wss' : 'an http or https'} address`,
    )
  if (transport === 'openapi' || !/^\/mcp(?:\/|$)/.test(address.pathname)) return
  const ours = (await needs.ourAddresses()).map((own) => URL.parse(own))
  if (ours.some((own) => own && isSamePlace(own, address)))
    throw badSource('url', 'is the address of Signalbox itself: its tools would contain themselves')
}

/** By any of the names of this machine. */
const isSamePlace = (own: URL, other: URL): boolean =>
  portOf(own) === portOf(other) &&
  (own.hostname === other.hostname || (isLoopback(own.hostname) && isLoopback(other.hostname)))

const portOf = ({ port, protocol }: URL): string => port || (/^(?:https|wss):$/.test(protocol) ? '443' : '80')

/** A refusal of the machine, told about the field. */
async function asField<Result>(field: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'bad_source') throw error
    throw badSource(field, error.message)
  }
}
