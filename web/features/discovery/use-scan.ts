import { useCallback, useEffect, useRef, useState } from 'react'
import type { ScanProgress } from '../../../src/contract/discovery.ts'
import type { Frame } from '../../../src/contract/sse-frame.ts'
import { authorization, base } from '../../api.ts'
import { liveState } from '../../connection.ts'
import { followFrames } from '../../follow.ts'
import { queryClient } from '../../query-client.ts'
import { dropSession } from '../../session.ts'
import { discoveryApi } from './discovery-api.ts'
import { foundKey } from './use-found.ts'

export interface Scans {
  /** How the one that is under way on a machine goes, or how the last one went. */
  progress: ReadonlyMap<string, ScanProgress>
  /** On these machines; on the only one there is, or the one that this page is of, when none is named. */
  start: (machineIds: readonly string[]) => Promise<void>
}

/** Follows the scans of all machines for as long as somebody looks, and reads again what they find. */
export function useScans(machineIds: readonly string[]): Scans {
  const [progress, setProgress] = useState<Scans['progress']>(new Map())
  const before = useRef(progress)
  const take = useCallback((told: ScanProgress) => {
    const last = before.current.get(told.machineId)
    before.current = new Map([...before.current, [told.machineId, told]])
    setProgress(before.current)
    if (last?.scanId === told.scanId && last.stage === told.stage && last.status === told.status) return
    // Each stage leaves something behind; what became of agents is known at the end.
    void queryClient.invalidateQueries({ queryKey: foundKey })
    if (told.status === 'done') void queryClient.invalidateQueries({ queryKey: ['agents'] })
  }, [])
  /** The stream may have been quicker, and is further then. */
  const takeUnlessLate = useCallback(
    (told: ScanProgress | null) => {
      const known = told && before.current.get(told.machineId)
      if (told && (!known || known.startedAt < told.startedAt)) take(told)
    },
    [take],
  )
  // The stream begins with the last that was told, which is of one machine alone.
  const all = machineIds.join(' ')
  useEffect(() => {
    if (!all.includes(' ')) return
    for (const id of all.split(' ')) void discoveryApi.lastScan(id).then(takeUnlessLate, () => undefined)
  }, [all, takeUnlessLate])
  useEffect(() => {
    const following = followFrames({
      url: `${base}/discovery/stream`,
      headers: authorization,
      resumeAfter: () => undefined,
      onState: () => undefined,
      onFrames: (frames) => {
        const last = new Map(frames.flatMap(progressIn).map((told) => [told.machineId, told]))
        for (const told of last.values()) take(told)
      },
      onRefused: ({ status }) => {
        if (status === 401) dropSession()
        return status >= 400 && status < 500
      },
    })
    const stopWaking = liveState.subscribe(() => liveState.get() === 'live' && following.wake())
    return () => {
      stopWaking()
      following.close()
    }
  }, [take])
  const start = async (ids: readonly string[]) => {
    const wanted = ids.length > 0 ? ids : [undefined]
    const begun = await Promise.allSettled(wanted.map((id) => discoveryApi.scan(id).then(takeUnlessLate)))
    // One machine that is away keeps nobody from looking at the others.
    const failed = begun.find((one) => one.status === 'rejected')
    if (failed) throw failed.reason
  }
  return { progress, start }
}

/** The stream says other things too, such as that it is there. */
function progressIn({ data }: Frame): ScanProgress[] {
  const told = JSON.parse(data) as { type?: string; payload?: ScanProgress } | null
  return told?.type === 'scan' && told.payload ? [told.payload] : []
}
