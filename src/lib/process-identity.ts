import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A pid alone is reused sooner or later; with the boot and the start time it names one process for ever. */
export interface ProcessIdentity {
  pid: number
  startTime: string
  bootId: string
}

let thisBoot: string | undefined

/** Which boot of this machine this is. */
export function bootId(): string {
  thisBoot ??=
    process.platform === 'linux'
      ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      : execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim()
  return thisBoot
}

/** Undefined when there is no such process, or when only its corpse waits to be collected. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  const startTime = process.platform === 'linux' ? startTimeOnLinux(pid) : startTimeElsewhere(pid)
  return startTime === undefined ? undefined : { pid, startTime, bootId: bootId() }
}

export function isAlive(identity: ProcessIdentity): boolean {
  const current = identify(identity.pid)
  return (
    current !== undefined && current.startTime === identity.startTime && current.bootId === identity.bootId
  )
}

function startTimeOnLinux(pid: number): string | undefined {
  let stat
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The second field is the program's name, which may itself contain blanks and brackets.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' || state === 'X' ? undefined : fields[18]
}

function startTimeElsewhere(pid: number): string | undefined {
  try {
    const [, state, started] =
      /^(\S+)\s+(.*\S)/.exec(
        execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim(),
      ) ?? []
    return state?.startsWith('Z') ? undefined : started
  } catch {
    return undefined
  }
}
