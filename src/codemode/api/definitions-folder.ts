import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readDefinition } from './definitions.ts'
import type { Definition } from './definitions.ts'
import { interfaceName, memberName } from './names.ts'
import { surroundings } from './surroundings.ts'

const ending = '.d.ts'
const mostFiles = 200
const longestFile = 512 * 1024

/** What is wrong with declarations, in lines of theirs. */
export type CheckDeclarations = (text: string) => Promise<{ line: number; message: string }[]>

/** Reads `NAMESPACE.d.ts` of a folder. One that is not right, alone or beside the others, is left out, and told. */
export async function readDefinitions(
  folder: string,
  check: CheckDeclarations,
  onNote: (note: string) => void,
): Promise<Map<string, Definition>> {
  const found = new Map<string, Definition>()
  const texts: string[] = []
  for (const name of await namesIn(folder)) {
    const namespace = name.slice(0, -ending.length)
    try {
      const text = await readFile(join(folder, name), 'utf8')
      if (text.length > longestFile) throw new Error(`it is longer than ${longestFile} characters`)
      const definition = readDefinition(text)
      const own = definition.textFor(interfaceName(memberName(namespace)))
      const [wrong] = await check([own, ...texts, surroundings].join('\n'))
      if (wrong) throw new Error(`line ${wrong.line}: ${wrong.message}`)
      found.set(namespace, definition)
      texts.push(own)
    } catch (error) {
      onNote(
        `The declarations in ${name} are left out: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  return found
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names
      .filter((name) => name.endsWith(ending))
      .toSorted()
      .slice(0, mostFiles)
  } catch {
    // There is no such folder: nobody has written any.
    return []
  }
}
