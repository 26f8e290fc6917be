import { useCallback, useDeferredValue, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'
import type { FoundProgram } from '../../../src/contract/discovery.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { noFilter } from './found-filter.ts'
import type { FoundFilter, View } from './found-filter.ts'
import { FoundFilters } from './found-filters.tsx'
import { FoundList, machineName } from './found-list.tsx'
import { ProgramWindow } from './program-window.tsx'
import { MachineScans } from './machine-scans.tsx'
import { Troubles } from './scan-state.tsx'
import { StatusLine } from './status-line.tsx'
import { useChosen } from './use-chosen.ts'
import { useFound } from './use-found.ts'
import { useMachines } from './use-machines.ts'
import { useScans } from './use-scan.ts'

const empty: Record<View, string> = {
  all: words.nothingYet,
  found: words.nothing,
  confirmed: words.nothingConfirmed,
  hidden: words.nothingHidden,
  gone: words.nothingGone,
}

/** What is on the machine and could be used: looked for, looked at, confirmed or hidden. */
export function FoundSection({
  scroller,
  onRun,
}: {
  /** What scrolls: the whole page, of which this is the last part. */
  scroller: HTMLElement | null
  onRun: (agentId: string) => void
}) {
  const [filter, setFilter] = useState(noFilter)
  const [sight, setSight] = useState({ first: 0, last: 0 })
  const [open, setOpen] = useState<FoundProgram | null>(null)
  const [isBeginning, setBeginning] = useState(false)
  const settled = useDeferredValue(filter)
  const machines = useMachines()
  const scans = useScans(machines.map(({ machineId }) => machineId))
  const isMany = machines.length > 1
  const found = useFound(settled, sight.first, sight.last)
  const choosing = useChosen(found.at)
  const head = useRef<HTMLDivElement>(null)
  const covered = useHeight(head)
  const section = useRef<HTMLElement>(null)
  const look = useCallback((first: number, last: number) => setSight({ first, last }), [])
  const at = useRef(found.at)
  useLayoutEffect(() => {
    at.current = found.at
  })
  const openAt = useCallback((index: number) => setOpen(at.current(index) ?? null), [])
  const isFiltered = settled.sought.trim() !== '' || settled.class !== 'any'
  const { total } = found
  const change = (next: FoundFilter) => {
    setFilter(next)
    // What another filter finds begins at its beginning; whoever has not scrolled that far stays where they are.
    const [outer, inner] = [scroller, section.current]
    const top = outer && inner && inner.getBoundingClientRect().top - outer.getBoundingClientRect().top
    if (outer && top !== null && top < 0) outer.scrollTop += top
  }
  const begin = async () => {
    setBeginning(true)
    try {
      const there = machines.filter(({ state }) => state === 'up').map(({ machineId }) => machineId)
      await scans.start(isMany ? there : [])
    } catch (error) {
      toast(words.notScanned(error instanceof Error ? error.message : String(error)), { isProblem: true })
    } finally {
      setBeginning(false)
    }
  }
  // While it goes on to find out what some can be asked for, another look can begin.
  const all = [...scans.progress.values()]
  const isScanning =
    isBeginning || all.some(({ status, stage }) => status === 'running' && stage !== 'schema')
  const heading = isMany ? words.headingMany(machines.length) : words.heading
  return (
    <section ref={section} className="max-w-220" aria-label={heading}>
      <div className="flex items-center gap-3">
        <h2 className="font-semibold">{heading}</h2>
        <Button className="ms-auto w-24" disabled={isScanning} onClick={() => void begin()}>
          {isScanning ? words.scanning : words.scan}
        </Button>
      </div>
      <p className="max-w-160 text-small text-mute">{words.hint}</p>
      <div ref={head} className="sticky top-0 z-20 mt-2 border-t border-b border-line bg-ground">
        <FoundFilters filter={filter} onChange={change} />
        <StatusLine
          total={total}
          progress={isMany ? null : (all[0] ?? null)}
          choosing={choosing}
          filter={settled}
        />
        {isMany && <MachineScans machines={machines} progress={scans.progress} />}
      </div>
      {!found.total && found.error && (
        <p className="flex flex-wrap items-center gap-3 py-3">
          {words.failed}: {found.error.message}
          <Button onClick={found.refetch}>{strings.retry}</Button>
        </p>
      )}
      {total === 0 && (
        <p className="max-w-160 py-3 text-soft">{isFiltered ? words.nothing : empty[settled.view]}</p>
      )}
      <FoundList
        found={found}
        machines={machines}
        choosing={choosing}
        scroller={scroller}
        covered={covered}
        onSight={look}
        onOpen={openAt}
      />
      <Troubles troubles={all.flatMap(({ troubles }) => troubles)} />
      {open && (
        <ProgramWindow
          program={open}
          machine={machineName(machines, open.machineId)}
          onClose={() => setOpen(null)}
          onRun={onRun}
        />
      )}
    </section>
  )
}

function useHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    const measured = element.current
    if (!measured) return
    const watcher = new ResizeObserver(() => setHeight(measured.offsetHeight))
    watcher.observe(measured)
    return () => watcher.disconnect()
  }, [element])
  return height
}
