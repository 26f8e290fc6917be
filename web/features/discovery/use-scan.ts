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

export interface Scan {
  /** How the one that is under way goes, or how the last one went. */
  progress: ScanProgress | null
  start: () => Promise<void>
}

/** Follows the scans of the machine for as long as somebody looks, and reads again what they find. */
export function useScan(): Scan {
  const [progress, setProgress] = useState<ScanProgress | null>(null)
  const before = useRef<ScanProgress | null>(null)
  const take = useCallback((told: ScanProgress) => {
    const last = before.current
    before.current = told
    setProgress(told)
    if (last?.scanId === told.scanId && last.stage === told.stage && last.status === told.status) return
    // Each stage leaves something behind; what became of agents is known at the end.
    void queryClient.invalidateQueries({ queryKey: foundKey })
    if (told.status === 'done') void queryClient.invalidateQueries({ queryKey: ['agents'] })
  }, [])
  useEffect(() => {
    const following = followFrames({
      url: `${base}/discovery/stream`,
      headers: authorization,
      resumeAfter: () => undefined,
      onState: () => undefined,
      onFrames: (frames) => {
        const told = frames.flatMap(progressIn).at(-1)
        if (told) take(told)
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
  const start = async () => {
    const told = await discoveryApi.scan()
    // The stream may have been quicker, and is further then.
    if (before.current?.scanId !== told.scanId) take(told)
  }
  return { progress, start }
}

/** The stream says other things too, such as that it is there. */
function progressIn({ data }: Frame): ScanProgress[] {
  const told = JSON.parse(data) as { type?: string; payload?: ScanProgress } | null
  return told?.type === 'scan' && told.payload ? [told.payload] : []
}
