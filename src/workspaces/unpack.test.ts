import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { tarOf } from '../../test/support/tar-of.ts'
import type { TarEntry } from '../../test/support/tar-of.ts'
import { openFiles, refusalOf, tempFolder } from '../../test/support/workspace-files.ts'
import { canEnclose } from './inside.ts'
import { WorkspaceRefusal } from './port.ts'

const hasBubblewrap = await canEnclose()

/** With walls around tar, and without: it must be right either way. */
describe.each(hasBubblewrap ? [true, false] : [false])(
  'an archive from anywhere, behind walls: %s',
  (isEnclosed) => {
    const unpack = async (content: Buffer, options: { maxBytes?: number } = {}) => {
      const file = join(tempFolder('archive'), 'archive')
      writeFileSync(file, content)
      const { home, workspaces } = openFiles({ isEnclosed, ...options })
      const { root } = workspaces.placeOf('w')
      return { home, root, brought: workspaces.bring('w', { archive: file }) }
    }

    it.each([
      ['tar', (tar: Buffer) => tar],
      ['tar.gz', gzipSync],
      ['tar.zst', zstdCompressSync],
    ])('is unpacked: %s', async (_name, pack) => {
      const { root, brought } = await unpack(
        pack(
          tarOf([
            { name: 'd/', type: '5', mode: 0o755 },
            { name: 'd/a', content: 'x' },
          ]),
        ),
      )
      expect((await brought).remarks).toEqual([])
      expect(readFileSync(join(root, 'd/a'), 'utf8')).toBe('x')
    })

    const outside = () => {
      const folder = tempFolder('outside')
      mkdirSync(join(folder, 'below'))
      writeFileSync(join(folder, 'kept'), 'as it was')
      // Nothing but tar itself keeps those inside from it.
      for (const path of [folder, join(folder, 'below')]) chmodSync(path, 0o777)
      chmodSync(join(folder, 'kept'), 0o666)
      return folder
    }
    const escapes: [string, (folder: string) => TarEntry[]][] = [
      ['goes up', () => [{ name: '../evil', content: 'x' }]],
      ['goes down and up', () => [{ name: 'a/../../evil', content: 'x' }]],
      ['is absolute', (folder) => [{ name: `${folder}/evil`, content: 'x' }]],
      [
        'goes through a link',
        (folder) => [
          { name: 'out', type: '2', linkName: folder },
          { name: 'out/evil', content: 'x' },
        ],
      ],
      [
        'goes through a link that goes up',
        (folder) => [
          { name: 'up', type: '2', linkName: `../../../../../../../../${folder}` },
          { name: 'up/evil', content: 'x' },
        ],
      ],
      [
        'goes through a link to a link',
        (folder) => [
          { name: 'one', type: '2', linkName: folder },
          { name: 'two', type: '2', linkName: 'one' },
          { name: 'two/evil', content: 'x' },
        ],
      ],
      [
        'writes over a link',
        (folder) => [
          { name: 'file', type: '2', linkName: `${folder}/kept` },
          { name: 'file', content: 'evil' },
        ],
      ],
      [
        'writes into what it has a hard link to',
        (folder) => [
          { name: 'file', type: '1', linkName: `${folder}/kept` },
          { name: 'file', content: 'evil' },
        ],
      ],
      [
        'has a hard link through a link',
        (folder) => [
          { name: 'out', type: '2', linkName: folder },
          { name: 'file', type: '1', linkName: 'out/kept' },
          { name: 'file', content: 'evil' },
        ],
      ],
      [
        'changes the mode of a folder through a link',
        (folder) => [
          { name: 'out', type: '2', linkName: folder },
          { name: 'out/below/', type: '5', mode: 0o700 },
        ],
      ],
    ]
    it.each(escapes)('stays inside though it %s', async (_name, entries) => {
      const folder = outside()
      const { home, root, brought } = await unpack(
        tarOf([{ name: 'first', content: 'x' }, ...entries(folder)]),
      )
      const outcome = await brought.then(
        () => readFileSync(join(root, 'first'), 'utf8'),
        (error: unknown) => error,
      )
      expect(outcome === 'x' || outcome instanceof WorkspaceRefusal).toBe(true)
      expect(readdirSync(folder).toSorted()).toEqual(['below', 'kept'])
      expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('as it was')
      expect(lstatSync(join(folder, 'kept')).nlink).toBe(1)
      expect(lstatSync(join(folder, 'below')).mode & 0o777).toBe(0o777)
      expect(existsSync(join(home, 'evil')) || existsSync(join(home, 'drafts/evil'))).toBe(false)
      expect(readdirSync(join(home, 'drafts'))).toEqual([])
    })

    it('loses setuid bits and devices', async () => {
      const entries = [
        { name: 'tool', mode: 0o6755, content: 'x' },
        { name: 'disk', type: '3' },
        { name: 'pipe', type: '6' },
      ]
      const { root, brought } = await unpack(tarOf(entries))
      expect((await brought).remarks).toEqual(['disk is a device, and was left out.'])
      expect(lstatSync(join(root, 'tool')).mode & 0o7777).toBe(0o755)
      expect(existsSync(join(root, 'disk'))).toBe(false)
    })

    it.each([
      [
        'a bomb',
        gzipSync(tarOf([{ name: 'zeros', content: Buffer.alloc(50_000_000) }])),
        'more than the 1 MB',
      ],
      [
        'one that ends early',
        gzipSync(tarOf([{ name: 'a', content: 'x'.repeat(9000) }])).subarray(0, -30),
        'unexpected end',
      ],
      [
        'one that is broken',
        Buffer.concat([gzipSync(tarOf([])).subarray(0, 12), Buffer.alloc(400, 7)]),
        'could not be unpacked',
      ],
      [
        'a tar that ends early',
        tarOf([{ name: 'a', content: 'x'.repeat(9000) }]).subarray(0, 2000),
        'Unexpected EOF',
      ],
      ['no archive', Buffer.from('hello'), 'This is not an archive'],
      ['nothing', Buffer.alloc(0), 'This is not an archive'],
    ])('is refused if it is %s, and nothing is left', async (_name, content, reason) => {
      const { home, root, brought } = await unpack(content, { maxBytes: 1_000_000 })
      const { code, message } = await refusalOf(brought)
      expect([code, message]).toEqual(['does_not_fit', expect.stringContaining(reason)])
      expect(existsSync(root)).toBe(false)
      expect(readdirSync(join(home, 'drafts'))).toEqual([])
    })
  },
)
