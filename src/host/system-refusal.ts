import { ToolRefused } from '#lib/tool-refused.ts'
import { shown } from './confined-path.ts'

type Refusal = readonly [code: string, says: (path: string) => string]

const known: Record<string, Refusal> = {
  ENOENT: ['path_not_found', (path) => `There is no ${path} in the workspace`],
  ENOTDIR: ['not_a_folder', (path) => `A part of ${path} is not a folder`],
  EISDIR: ['not_a_file', (path) => `${path} is a folder`],
  EACCES: ['path_not_permitted', (path) => `The permissions of ${path}, or of its folder, do not allow it`],
  EPERM: ['path_not_permitted', (path) => `The system does not permit it for ${path}`],
  EROFS: ['path_not_permitted', (path) => `${path} is on a file system that can only be read`],
  ETXTBSY: ['path_not_permitted', (path) => `${path} is a program that runs at present`],
  ENAMETOOLONG: ['path_too_long', (path) => `The path or a name in it is too long: ${path}`],
  ELOOP: ['path_too_long', (path) => `${path} leads through too many links`],
  ENOSPC: ['disk_full', () => 'The disk is full. Nothing was changed; make room and try again'],
  EDQUOT: ['disk_full', () => 'The disk quota is used up. Nothing was changed; make room and try again'],
  EFBIG: ['file_too_large', (path) => `${path} would become larger than is allowed`],
  EMFILE: ['workspace_busy', () => 'Too many files are open. Try again in a moment'],
  ENFILE: ['workspace_busy', () => 'Too many files are open. Try again in a moment'],
  ENXIO: ['special_file', (path) => `${path} is not a file with contents`],
}

/** What the system said, as a refusal; what is no word of the system stays as it is. */
export function refusalFor(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof ToolRefused || !('syscall' in error)) return error
  const name = 'code' in error ? String(error.code) : ''
  const [code, says] = known[name] ?? [
    'path_not_permitted',
    (place: string) => `The system refused it for ${place} (${name})`,
  ]
  return new ToolRefused(code, says(shown(path)), { path: shown(path) })
}
