import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLimits } from '../../../src/boundaries/sandbox/limits.ts'
import { seccompFilter } from '../../../src/boundaries/sandbox/seccomp.ts'
import type { SeenProgram } from '#discovery/port.ts'

/** Real programs that misbehave when they are asked for help, in a folder of their own; it is there with the first of them. */
export function oddPrograms() {
  const folder = join(tmpdir(), `odd-programs-${randomUUID().slice(0, 8)}`)
  return {
    folder,
    /** A program with this script, which is for sh unless its first line says otherwise. */
    add(name: string, script: string): SeenProgram {
      mkdirSync(folder, { recursive: true })
      const path = join(folder, name)
      writeFileSync(path, script.startsWith('#!') ? script : `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o755)
      return seen(path, name)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export function seen(path: string, name: string): SeenProgram {
  return {
    path,
    name,
    realPath: path,
    package: null,
    packageSource: 'none',
    version: null,
    description: null,
    class: 'tool',
    confidence: 1,
    preset: null,
    danger: 1,
  }
}

/** What main hands in. */
export const wallParts = {
  path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  seccomp: seccompFilter(),
  hold: () => openLimits({ memoryMb: 512, cpus: 1, pids: 64 }),
}
