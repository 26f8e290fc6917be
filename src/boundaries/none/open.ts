import { onPath } from '#lib/on-path.ts'
import type { Enclosure, StartProgram } from '../port.ts'
import type { NamespaceTools } from './namespace.ts'
import { namespaceBoundary } from './pid-namespace.ts'
import { groupBoundary } from './process-group.ts'

interface Surroundings {
  start: StartProgram
  /** The variable in whose value every process carries the mark of what it belongs to. */
  markName: string
  path: string
  /** Folders that programs must not look into; without namespaces they can. */
  hidden: readonly string[]
  log: (line: string) => void
}

/** No boundary around the files. The processes of a program are kept together by the best means that really work here. */
export async function openNone({ start, markName, path, hidden, log }: Surroundings): Promise<Enclosure> {
  try {
    const tools = { ...findTools(path), hidden }
    const boundary = await namespaceBoundary(start, markName, tools)
    await tryOut(boundary, tools.tee)
    return boundary
  } catch (error) {
    log(
      `No pid namespaces here, process groups instead: ${error instanceof Error ? error.message : String(error)}`,
    )
    return groupBoundary(start, markName)
  }
}

/** Being installed says little about being allowed. */
async function tryOut(boundary: Enclosure, program: string): Promise<void> {
  const tried = await boundary.start({ file: program, argv: [], env: {}, cwd: '/' }, 'trial')
  for (const stream of [tried.stdout, tried.stderr]) stream.resume()
  const { exitCode } = await tried.exited
  const isDead = await tried.end(0)
  if (exitCode !== 0 || !isDead) throw new Error(`a trial ended with ${exitCode}`)
}

function findTools(path: string): Omit<NamespaceTools, 'hidden'> {
  const find = (name: string) => {
    const found = onPath(name, path)
    if (found === undefined) throw new Error(`${name} is not installed`)
    return found
  }
  return {
    bwrap: find('bwrap'),
    nsenter: find('nsenter'),
    setsid: find('setsid'),
    env: find('env'),
    tee: find('tee'),
  }
}
