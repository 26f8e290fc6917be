import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import type { Complaint } from './config-error.ts'
import type { Path } from '#lib/tree.ts'
import { readYaml } from './yaml.ts'
import type { YamlTree } from './yaml.ts'

export interface ConfigFile extends Pick<YamlTree, 'value' | 'written'> {
  file: string
  /** `file:line:column`. */
  whereIs(path: Path, part: 'key' | 'value'): string
}

const MAX_BYTES = 1024 ** 2

/** The file that SIGNALBOX_CONFIG names, or signalbox.config.yaml if there is one. */
export function readConfigFile(
  { env, cwd }: { env: NodeJS.ProcessEnv; cwd: string },
  complain: (complaint: Complaint) => void,
): ConfigFile | undefined {
  const named = env['SIGNALBOX_CONFIG']
  const file = resolve(cwd, named || 'signalbox.config.yaml')
  const shown =
    relative(cwd, file).startsWith('..') || isAbsolute(relative(cwd, file)) ? file : relative(cwd, file)
  const found = contentOf(file)
  if ('wrong' in found) {
    if (found.wrong !== missing) complain({ where: shown, path: '', what: found.wrong })
    else if (named)
      complain({ where: 'SIGNALBOX_CONFIG', path: '', what: `names ${shown}, which ${missing}` })
    return undefined
  }
  const { content } = found
  const nul = content.indexOf('\0')
  if (nul !== -1) {
    const line = content.slice(0, nul).split('\n').length
    const column = nul - content.lastIndexOf('\n', nul)
    complain({ where: `${shown}:${line}:${column}`, path: '', what: 'a NUL byte; this is not a text file' })
    return undefined
  }
  const tree = readYaml(content, env, (place, complaint) =>
    complain({ where: `${shown}:${place}`, ...complaint }),
  )
  return { ...tree, file, whereIs: (path, part) => `${shown}:${tree.whereIs(path, part)}` }
}

const missing = 'does not exist'

function contentOf(file: string): { content: string } | { wrong: string } {
  try {
    const found = statSync(file)
    if (found.isDirectory()) return { wrong: 'is a folder; write the path of a YAML file' }
    if (!found.isFile()) return { wrong: 'is not a plain file' }
    if (found.size > MAX_BYTES) return { wrong: 'is larger than 1MB; this cannot be a configuration' }
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)) } // without its byte order mark
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return { wrong: missing }
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { wrong: 'is not UTF-8 text; save it as UTF-8' }
    return { wrong: `cannot be read: ${error instanceof Error ? error.message : String(error)}` }
  }
}
