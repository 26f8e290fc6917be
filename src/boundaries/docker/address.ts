import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where an engine listens, and what people call the place. */
export interface EngineAddress {
  name: string
  at: { socketPath: string } | { host: string; port: number }
}

/** What DOCKER_HOST says is not something that we can speak to. */
export class UnknownAddress extends Error {}

const usual = '/var/run/docker.sock'

/** Where DOCKER_HOST says; else the machine's engine; else the user's own, without root. Throws UnknownAddress. */
export function engineAddress(env: NodeJS.ProcessEnv = process.env): EngineAddress {
  const said = env['DOCKER_HOST']?.trim()
  if (said) return parseAddress(said)
  const own = env['XDG_RUNTIME_DIR'] && join(env['XDG_RUNTIME_DIR'], 'docker.sock')
  return parseAddress(`unix://${!existsSync(usual) && own && existsSync(own) ? own : usual}`)
}

function parseAddress(name: string): EngineAddress {
  const socketPath = /^unix:\/\/(\/.+)$/.exec(name)?.[1]
  if (socketPath !== undefined) return { name, at: { socketPath } }
  const url = /^(?:tcp|http):\/\//.test(name) ? URL.parse(name.replace(/^tcp:/, 'http:')) : null
  if (url?.hostname)
    return { name, at: { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 2375) } }
  throw new UnknownAddress(
    `DOCKER_HOST is ${name}, and Signalbox speaks to engines at unix:///path and tcp://host:port only. Set it to one of these.`,
  )
}
