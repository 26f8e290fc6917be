import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Loaded before a program: it kills itself right before its n-th change to the disk, n being KILLED_AT. */
let left = Number(process.env['KILLED_AT'])

const { openSync } = fs
const changes = ['renameSync', 'rmSync', 'mkdirSync', 'writeFileSync', 'cpSync', 'openSync'] as const
const inPromises = ['rm', 'chmod', 'mkdir'] as const

function counted<T extends (...given: never[]) => unknown>(change: T): T {
  return ((...given) => {
    const isRead = change === (openSync as unknown) && (given[1] === 'r' || given[1] === undefined)
    if (!isRead) left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
    return change(...given)
  }) as T
}

for (const name of changes) Object.assign(fs, { [name]: counted(fs[name] as never) })
for (const name of inPromises) Object.assign(fs.promises, { [name]: counted(fs.promises[name] as never) })
syncBuiltinESMExports()
