import type { DriverOnMachine } from '#contract/workspace.ts'
import { UnknownAddress, engineAddress } from './address.ts'
import { EngineAway, EngineRefused, openEngine } from './engine.ts'
import { askFacts } from './facts.ts'

/** An engine that is silent for longer hangs. */
const patienceMs = 5_000

/** Whether workspaces can be in containers here: the engine is really asked. Never rejects. */
export async function probeDocker(
  image: string | null = null,
  env: NodeJS.ProcessEnv = process.env,
): Promise<DriverOnMachine> {
  const refused = (reason: string): DriverOnMachine => ({
    driver: 'docker',
    works: false,
    reason,
    lacks: [],
    version: null,
  })
  if (process.platform !== 'linux')
    return refused(
      'Containers need an engine on the same Linux machine; this is another system. Use folders.',
    )
  try {
    const engine = openEngine(engineAddress(env), patienceMs)
    const { version, lacks } = await askFacts(engine)
    const hasImage = image === null || (await isThere(engine, image))
    const missing = {
      what: `image ${image}`,
      why: `it is not on this machine, and nothing is fetched unasked: docker pull ${image}`,
    }
    return {
      driver: 'docker',
      works: true,
      reason: null,
      lacks: hasImage ? lacks : [...lacks, missing],
      version,
    }
  } catch (error) {
    if (error instanceof EngineAway || error instanceof EngineRefused || error instanceof UnknownAddress)
      return refused(error.message)
    return refused(`The Docker engine could not be asked: ${String(error)}`)
  }
}

async function isThere(engine: ReturnType<typeof openEngine>, image: string): Promise<boolean> {
  try {
    await engine.ask('GET', `/images/${image.split('/').map(encodeURIComponent).join('/')}/json`)
    return true
  } catch (error) {
    if (error instanceof EngineRefused && error.status < 500) return false
    throw error
  }
}
