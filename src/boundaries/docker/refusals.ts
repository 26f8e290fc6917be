import type { EnclosedSpec } from '#contract/workspace.ts'
import { inertLine } from '#lib/inert-text.ts'
import { NotStarted } from '#lib/program.ts'
import { UnknownAddress } from './address.ts'
import { EngineAway, EngineRefused } from './engine.ts'
import { EndedEarly } from './open-container.ts'

const oldestNode = 20
const longest = 300

/** Why a container did not come up, and what to do. */
export function explainRefusal(error: unknown, { image, root }: EnclosedSpec): Error {
  if (error instanceof EngineAway || error instanceof UnknownAddress) return new NotStarted(error.message)
  if (error instanceof EndedEarly) return new NotStarted(explainEnd(error, image ?? ''))
  if (!(error instanceof EngineRefused)) return error instanceof Error ? error : new Error(String(error))
  const words = error.message
  if (/no such image/i.test(words) || (error.status === 404 && /image/i.test(words)))
    return new NotStarted(`The image ${image} is not on this machine. Fetch it first: docker pull ${image}`)
  if (/bind source path does not exist/i.test(words))
    return new NotStarted(
      `The Docker engine does not find ${mountIn(words) ?? root}. It has to run on this machine: check DOCKER_HOST.`,
    )
  return new NotStarted(`The Docker engine refused to start a container from ${image}: ${short(words)}`)
}

const mountIn = (words: string) => /does not exist: (\/\S+)/.exec(words)?.[1]

function explainEnd({ message, said }: EndedEarly, image: string): string {
  // So says the first process that the engine puts in front.
  if (/exec node failed: No such file/.test(said))
    return `The image ${image} has no Node. Name one that has (node:24-bookworm-slim, or one built by deploy/workspace.Dockerfile).`
  const version = /^Node\.js v(\d+)\.\S+$/m.exec(said)
  if (version && Number(version[1]) < oldestNode)
    return `The image ${image} has Node ${version[0].slice('Node.js v'.length)}, and ${oldestNode} is the oldest that will do. Name one that has a newer one.`
  const why = said.trim() ? `It said: ${short(said)}` : 'It said nothing.'
  return `A container from ${image} ended before anything could be done in it: ${message}. ${why}`
}

const short = (text: string) => inertLine(text.trim()).slice(0, longest)
