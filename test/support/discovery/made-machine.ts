import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { elfLinkedTo } from './made-elf.ts'
import type { ToolFacts } from './tool-facts.ts'

/** A tree of folders that is laid out like a machine's. */
export interface MadeMachine {
  root: string
  home: string
  /** Writes a file of this path below the root. */
  put(path: string, content: string | Buffer): Promise<string>
  /** The same, and lets it be run. */
  putProgram(path: string, content?: string | Buffer): Promise<string>
  link(path: string, target: string): Promise<string>
  /** Installs a program with all that its package ships. */
  install(name: string, facts?: ToolFacts): Promise<void>
  folders: string[]
  [Symbol.asyncDispose](): Promise<void>
}

export async function makeMachine(): Promise<MadeMachine> {
  const root = await mkdtemp(join(tmpdir(), 'signalbox-machine-'))
  const home = join(root, 'home/somebody')
  const put = async (path: string, content: string | Buffer) => {
    const full = join(root, path)
    await mkdir(dirname(full), { recursive: true })
    await writeFile(full, content)
    return full
  }
  const putProgram = async (path: string, content: string | Buffer = elfLinkedTo(['libc.so.6'])) => {
    const full = await put(path, content)
    await chmod(full, 0o755)
    return full
  }
  const link = async (path: string, target: string) => {
    const full = join(root, path)
    await mkdir(dirname(full), { recursive: true })
    await symlink(target, full)
    return full
  }
  const install = async (name: string, facts: ToolFacts = {}) => {
    const { isForAdmin, manual, unit, libraries = [], script, npm } = facts
    const content = script ? `#!/usr/bin/env ${script}\n` : elfLinkedTo([...libraries, 'libc.so.6'])
    const path = join('usr', isForAdmin ? 'sbin' : 'bin', name)
    if (npm) {
      const folder = `usr/lib/node_modules/${npm}`
      await put(`${folder}/package.json`, JSON.stringify({ name: npm, version: '1.2.3' }))
      await link(path, await putProgram(`${folder}/bin/${name}.js`, content))
    } else await putProgram(path, content)
    if (manual) {
      const [section, line] = manual
      const page = `.\\" made\n.TH ${name.toUpperCase()} ${section}\n.SH NAME\n${name} \\- ${line}\n.SH SYNOPSIS\n.B ${name}\n`
      await put(`usr/share/man/man${section}/${name}.${section}.gz`, gzipSync(page))
    }
    if (unit) {
      const [type, command] = unit
      const written = `[Service]\n${type ? `Type=${type}\n` : ''}ExecStart=${command}\n`
      await put(`usr/lib/systemd/system/${name}.service`, written)
    }
  }
  await Promise.all([
    mkdir(join(root, 'usr/bin'), { recursive: true }),
    mkdir(join(root, 'usr/sbin'), { recursive: true }),
  ])
  return {
    root,
    home,
    put,
    putProgram,
    link,
    install,
    folders: ['usr/sbin', 'usr/bin'].map((folder) => join(root, folder)),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}
