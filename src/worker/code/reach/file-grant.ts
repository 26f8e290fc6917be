import { CodeFailed } from '#codemode/port.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { hasExtension, isBelow, pathOf } from '#domain/code-paths.ts'

export type FileVerb = 'read' | 'write' | 'list'

/** What code asks of files, once it is allowed. */
export interface FileAsked {
  verb: FileVerb
  /** In one spelling. */
  path: string
  /** The paths of the grants that it is below of. */
  grants: readonly string[]
  /** Of a `write`. */
  content: string
}

/** Throws CodeFailed. */
export function fileAsked(
  files: CodeGrants['files'],
  isInWorkspace: boolean,
  name: string,
  [place = '.', content]: readonly unknown[],
): FileAsked {
  if (!isVerb(name)) throw fileFailed('bad_request', `Files cannot be asked for ${name}`, '')
  if (typeof place !== 'string') throw fileFailed('bad_request', 'A path must be text', '')
  checkIsPath(place)
  const path = pathOf(place, isInWorkspace)
  if (path === undefined)
    throw violation(
      place,
      isInWorkspace
        ? 'it leads out of the workspace, where code does not go'
        : 'outside of a session a path begins with /',
    )
  const grants = grantsOf(files, name, path)
  if (name === 'list') return { verb: name, path, grants, content: '' }
  if (/(?:^|\/)\.{0,2}$/.test(place))
    throw fileFailed('not_a_file', `${shown(place)} means a folder by how it ends, and not a file`, path)
  if (!hasExtension(path, files.extensions))
    throw violation(path, `only files that end with ${files.extensions.join(', ')} are (allowedExtensions)`)
  if (name === 'read') return { verb: name, path, grants, content: '' }
  if (typeof content !== 'string')
    throw fileFailed('bad_request', 'What is written to a file must be text', path)
  checkSize(files, path, Buffer.byteLength(content))
  return { verb: name, path, grants, content }
}

function checkIsPath(place: string): void {
  if (place === '')
    throw fileFailed('bad_request', 'A path must not be empty; the folder where all begin is .', place)
  if (place.includes('\0') || !place.isWellFormed())
    throw fileFailed(
      'bad_request',
      `${JSON.stringify(shown(place))} has characters that no path can have`,
      place,
    )
}

export function checkSize({ maxBytes }: CodeGrants['files'], path: string, bytes: number): void {
  if (bytes > maxBytes)
    throw fileFailed(
      'file_too_large',
      `${path} has ${bytes} bytes, and ${maxBytes} are allowed (maxFileSize)`,
      path,
      {
        limit: maxBytes,
      },
    )
}

/** A link may have led to another place than the one that was asked for. Throws CodeFailed. */
export function checkArrival(grants: readonly string[], path: string, arrived: string): void {
  if (!grants.some((granted) => isBelow(arrived, granted)))
    throw violation(path, 'it is a link that leads elsewhere')
}

function grantsOf({ paths }: CodeGrants['files'], verb: FileVerb, path: string): string[] {
  const above = paths.filter((granted) => isBelow(path, granted.path))
  const fitting = verb === 'write' ? above.filter(({ isReadOnly }) => !isReadOnly) : above
  if (fitting.length > 0) return fitting.map((granted) => granted.path)
  const capability = `fs:${path}${verb === 'write' ? ':rw' : ''}`
  const why = above.length > 0 ? 'it may only be read' : 'it was not given the capability'
  throw violation(path, `${why}. Ask for it with capabilities: ["${capability}"]`, capability)
}

const isVerb = (name: string): name is FileVerb => name === 'read' || name === 'write' || name === 'list'

export const violation = (path: string, why: string, capability?: string): CodeFailed =>
  new CodeFailed('security', 'CAPABILITY_VIOLATION', `This code may not reach ${shown(path)}: ${why}`, {
    path: shown(path),
    ...(capability !== undefined && { capability }),
  })

export const fileFailed = (
  reason: string,
  message: string,
  path: string,
  more: Record<string, unknown> = {},
) => new CodeFailed('runtime', 'RUNTIME_ERROR', message, { reason, path: shown(path), ...more })

const shown = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
