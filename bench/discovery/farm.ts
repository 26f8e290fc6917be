import { constants } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { someAtATime } from '#lib/some-at-a-time.ts'

/** A machine for itself: copies of real programs, with the books that a system of that size keeps. */
export interface Farm {
  root: string
  folders: string[]
  programs: number
  remove(): Promise<void>
}

const packages = 750
/** As on the machines that were looked at: most lines of a list are of documentation and libraries. */
const otherFiles = 160
const units = 200
const largest = 120_000

/** Copies, not links: each has to be opened and read for itself. */
export async function layOut(programs: number): Promise<Farm> {
  const root = await mkdtemp(join(tmpdir(), 'signalbox-bench-discovery-'))
  const folders = ['usr/bin', 'usr/sbin'].map((folder) => join(root, folder))
  const books = ['var/lib/dpkg/info', 'usr/share/man/man1', 'usr/lib/systemd/system'].map((book) =>
    join(root, book),
  )
  await Promise.all([...folders, ...books].map((folder) => mkdir(folder, { recursive: true })))
  const [info = '', manual = '', services = ''] = books
  const sources = await smallPrograms()
  const paths = Array.from({ length: programs }, (_, number) => {
    const source = sources[number % sources.length]!
    return {
      source,
      name: `${source.slice(source.lastIndexOf('/') + 1)}-${number}`,
      folder: number % 7 === 0 ? 1 : 0,
    }
  })
  await someAtATime(paths, 16, async ({ source, name, folder }) => {
    await copyFile(source, join(folders[folder]!, name), constants.COPYFILE_FICLONE)
    const page = `.TH ${name} 1\n.SH NAME\n${name} \\- do what ${name} does\n.SH DESCRIPTION\n${`What ${name} does, and why. `.repeat(300)}`
    await writeFile(join(manual, `${name}.1.gz`), gzipSync(page))
  })
  const numbers = Array.from({ length: packages }, (_, number) => number)
  await someAtATime(numbers, 16, async (number) => {
    const own = paths
      .filter((_, at) => at % packages === number)
      .map(({ name, folder }) => `/usr/${folder ? 'sbin' : 'bin'}/${name}`)
    const others = Array.from(
      { length: otherFiles },
      (_, at) => `/usr/share/doc/package-${number}/part-${at}/a-page.html`,
    )
    await writeFile(join(info, `package-${number}.list`), ['/.', '/usr', ...own, ...others, ''].join('\n'))
  })
  const stanza = (number: number) =>
    `Package: package-${number}\nStatus: install ok installed\nVersion: 1.${number}\nDescription: package ${number}\n${' and a longer text about it\n'.repeat(25)}`
  await writeFile(join(root, 'var/lib/dpkg/status'), numbers.map(stanza).join('\n'))
  await someAtATime(numbers.slice(0, units), 16, async (number) => {
    const command = `/usr/sbin/${paths[(number * 7) % programs]!.name}`
    await writeFile(
      join(services, `unit-${number}.service`),
      `[Service]\nType=notify\nExecStart=${command} --serve\n`,
    )
  })
  return { root, folders, programs, remove: () => rm(root, { recursive: true, force: true }) }
}

async function smallPrograms(): Promise<string[]> {
  const names = await readdir('/usr/bin', { withFileTypes: true })
  const paths = names.filter((name) => name.isFile()).map((name) => join('/usr/bin', name.name))
  const sized = await someAtATime(paths, 16, async (path) => ({ path, stats: await stat(path) }))
  return sized
    .filter(({ stats }) => stats.size < largest && (stats.mode & 0o111) === 0o111)
    .map(({ path }) => path)
}
