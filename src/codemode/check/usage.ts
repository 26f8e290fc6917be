import { readFileSync } from 'node:fs'

const ticksPerSecond = 100
const pageBytes = 4096

/** What a process has used, where the system tells it (Linux). */
export function usageOf(pid: number): { cpuMs: number; memoryBytes: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold anything: the fields from the third on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return { cpuMs: (ticks * 1000) / ticksPerSecond, memoryBytes: Number(fields[21]) * pageBytes }
  } catch {
    return undefined
  }
}
