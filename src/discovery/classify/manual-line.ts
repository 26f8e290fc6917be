import { dirname, join } from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import { readStart } from '../read-bounded.ts'

/** Where the line stands: mostly within the first few kilobytes, and behind longer comments and macros in some. */
const startSizes = [3 * 1024, 32 * 1024]
const longestStart = 512 * 1024
const longestLine = 200

/** What a manual page says in its NAME section: `git - the stupid content tracker` without the name. Null where there is none. */
export async function readManualLine(path: string): Promise<string | null> {
  for (const size of startSizes) {
    const text = await textOf(path, size)
    const other = /^\.so +(\S+)/m.exec(text.slice(0, 500))?.[1]
    if (other !== undefined) return readOther(join(dirname(dirname(path)), other), size)
    const line = lineIn(text)
    if (line !== null || text === '') return line
  }
  return null
}

/** A page that is only a sign to another one; where that one is packed, the sign does not say so. */
async function readOther(path: string, size: number): Promise<string | null> {
  return lineIn(await textOf(path, size)) ?? lineIn(await textOf(`${path}.gz`, size))
}

async function textOf(path: string, size: number): Promise<string> {
  if (/\.(?:xz|bz2|zst|lzma)$/.test(path)) return ''
  const bytes = await readStart(path, size)
  if (!bytes || !path.endsWith('.gz')) return bytes?.toString() ?? ''
  try {
    // Only the beginning was read, so the end is missing: what there is is enough.
    return gunzipSync(bytes, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: longestStart,
    }).toString()
  } catch {
    return ''
  }
}

export function lineIn(page: string): string | null {
  const [, after = ''] = /^\.S[Hh]\s+"?NAME"?[ \t]*\n([\s\S]*)/im.exec(page) ?? []
  const section = after.split(/^\.S[Hh]\b/m)[0] ?? ''
  const described = /^\.Nd\s+(.*)/m.exec(section)?.[1]
  const written = section
    .split('\n')
    .filter((line) => !/^\.(?!B|I|R)|^'/.test(line))
    .map((line) => line.replace(/^\.[BIR]+ +/, ''))
    .join(' ')
  const line = described ?? /\s(?:\\-|\\\(em|\\\(en|—|–|--?)+\s+(.*)/.exec(plain(written, false))?.[1]
  const told = plain(line ?? '', true)
    .slice(0, longestLine)
    .trim()
  // What help2man writes for want of anything to say.
  return told === '' || told.startsWith('manual page for ') ? null : told
}

/** Without what troff would do with it. */
function plain(text: string, isAll: boolean): string {
  const bare = text
    .replaceAll(/\\f(?:\[[^\]]*\]|\([A-Za-z]{2}|.)/g, '')
    .replaceAll(/\\s[-+]?\d/g, '')
    .replaceAll(/\\[&|/^:%]/g, '')
  if (!isAll) return bare
  return bare
    .replaceAll(/\\-/g, '-')
    .replaceAll(/\\\(aq|\\\[aq\]/g, "'")
    .replaceAll(/\\\((?:lq|rq)|\\\*\((?:lq|rq)/g, '"')
    .replaceAll(/\\[ ~]/g, ' ')
    .replaceAll(/\\\((?:em|en)/g, '–')
    .replaceAll(/\\\*\(..|\\\*\[[^\]]*\]|\\\*./g, '')
    .replaceAll(/\\([.])/g, '$1')
    .replaceAll(/\\e/g, '\\')
    .replaceAll(/^"|"$/g, '')
    .replaceAll(/\s+/g, ' ')
}
