import type { Engine } from './engine.ts'

/** What an engine says of itself that changes what is asked of it, or what can be promised. */
export interface EngineFacts {
  version: string
  /** It runs as its user: root in a container is that user, and has no more rights. */
  isRootless: boolean
  /** Users in containers are others outside. */
  remapsUsers: boolean
  /** What it cannot limit here. */
  lacks: { what: string; why: string }[]
}

interface Info {
  ServerVersion: string
  SecurityOptions?: string[] | null
  MemoryLimit?: boolean
  SwapLimit?: boolean
  CpuCfsQuota?: boolean
  PidsLimit?: boolean
  OomKillDisable?: boolean
}

/** Rejects with EngineRefused or EngineAway. */
export async function askFacts(engine: Engine): Promise<EngineFacts> {
  const info = await engine.ask<Info>('GET', '/info')
  const has = (name: string) =>
    info.SecurityOptions?.some((option) => option.split(',').includes(`name=${name}`)) ?? false
  const why = 'the engine says that the cgroups of this machine do not have it'
  const limits = {
    'memory limit': info.MemoryLimit,
    'cpu limit': info.CpuCfsQuota,
    'pids limit': info.PidsLimit,
  }
  const lacks = Object.entries(limits).flatMap(([what, works]) => (works === false ? [{ what, why }] : []))
  if (info.SwapLimit === false && info.MemoryLimit !== false)
    lacks.push({ what: 'swap limit', why: `${why}: a workspace may use swap beyond its memory` })
  if (!has('seccomp'))
    lacks.push({ what: 'seccomp', why: 'the engine runs containers without a filter for system calls' })
  return { version: info.ServerVersion, isRootless: has('rootless'), remapsUsers: has('userns'), lacks }
}
