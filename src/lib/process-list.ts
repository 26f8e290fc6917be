import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'

/** The words a process was started with, or the title it gave itself; empty when there is no such process. */
export function commandLineOf(pid: number): string {
  if (process.platform !== 'linux') return ps(['-p', String(pid)])[0]?.command ?? ''
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

/** The pids of the processes whose command line begins with `start`. */
export function findProcesses(start: string): number[] {
  if (process.platform !== 'linux')
    return ps(['-ax']).flatMap(({ pid, command }) => (command.startsWith(start) ? [pid] : []))
  return listPids().filter((pid) => commandLineOf(pid).startsWith(start))
}

/** Of every process there is, on Linux; the highest first, which are mostly the newest. */
export function listPids(): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isSafeInteger)
  return pids.toSorted((one, other) => other - one)
}

function ps(which: string[]): { pid: number; command: string }[] {
  try {
    const lines = execFileSync('ps', [...which, '-o', 'pid=,command='], { encoding: 'utf8' }).split('\n')
    return lines.flatMap((line) => {
      const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? []
      return pid && command ? [{ pid: Number(pid), command }] : []
    })
  } catch {
    return []
  }
}
