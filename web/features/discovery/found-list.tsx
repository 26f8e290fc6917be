import { useQuery } from '@tanstack/react-query'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import type { WorkerStatus } from '../../../src/contract/machine.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { roomApi } from '../../room-api.ts'
import { FoundRow, ROW_HEIGHT } from './found-row.tsx'
import type { Choosing } from './use-chosen.ts'
import type { Found } from './use-found.ts'

interface Props {
  found: Found
  machines: readonly WorkerStatus[]
  choosing: Choosing
  scroller: HTMLElement | null
  /** What lies over the list while it is scrolled. */
  covered: number
  onSight: (first: number, last: number) => void
  onOpen: (index: number) => void
}

/** The programs in sight, in which arrows go from one to the next. */
export function FoundList({ found, machines, choosing, scroller, covered, onSight, onOpen }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [active, setActive] = useState({ index: 0, takesFocus: false })
  const total = found.total ?? 0
  const current = Math.min(active.index, Math.max(0, total - 1))
  const scrollMargin = useOffset(list, scroller)
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    scrollMargin,
    scrollPaddingStart: covered,
    rangeExtractor: (range) => {
      const drawn = new Set([...defaultRangeExtractor(range), current])
      return [...drawn].filter((index) => index < total).toSorted((one, other) => one - other)
    },
  })
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {}
  useLayoutEffect(() => onSight(startIndex, endIndex), [onSight, startIndex, endIndex])
  useLayoutEffect(() => {
    if (!active.takesFocus) return
    virtualizer.scrollToIndex(active.index, { align: 'auto' })
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${active.index}"]`)
    row?.focus({ preventScroll: true })
  }, [virtualizer, active])
  const presets = useQuery({ queryKey: ['presets'], queryFn: ({ signal }) => roomApi.presets(signal) }).data
  const { choose: chooseAt, clear } = choosing
  const open = useCallback(
    (index: number) => {
      setActive({ index, takesFocus: false })
      onOpen(index)
    },
    [onOpen],
  )
  const choose = useCallback(
    (index: number, isRange: boolean) => {
      setActive({ index, takesFocus: false })
      chooseAt(index, isRange)
    },
    [chooseAt],
  )
  const press = useCallback(
    (event: KeyboardEvent, index: number) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const to = stepsFrom(index, total, (scroller?.clientHeight ?? 0) - covered)[event.key]
      if (to !== undefined) {
        const next = Math.max(0, Math.min(total - 1, to))
        setActive({ index: next, takesFocus: true })
        if (event.shiftKey && event.key.startsWith('Arrow')) chooseAt(next, true)
      } else if (event.key === ' ') chooseAt(index, event.shiftKey)
      else if (event.key === 'Escape') clear()
      else return
      event.preventDefault()
      event.stopPropagation()
    },
    [total, covered, scroller, chooseAt, clear],
  )
  return (
    <ul
      ref={list}
      aria-label={words.list}
      aria-busy={found.isOld}
      className={`relative ${found.isOld ? 'opacity-70' : ''}`}
      style={{ blockSize: total * ROW_HEIGHT }}
    >
      {virtualizer.getVirtualItems().map(({ index, start }) => {
        const program = found.at(index)
        return (
          <FoundRow
            key={index}
            index={index}
            top={start - scrollMargin}
            total={total}
            program={program}
            login={program?.preset ? presets?.find(({ key }) => key === program.preset)?.login : undefined}
            machine={program && machineName(machines, program.machineId)}
            isChosen={program !== undefined && choosing.chosen.has(program.id)}
            isActive={index === current}
            onOpen={open}
            onChoose={choose}
            onPress={press}
          />
        )
      })}
    </ul>
  )
}

/** Where there are several: their programs are called the same. */
export const machineName = (machines: readonly WorkerStatus[], id: string): string | undefined =>
  machines.length > 1 ? machines.find(({ machineId }) => machineId === id)?.name : undefined

function stepsFrom(index: number, total: number, height: number): Record<string, number> {
  const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1)
  return {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: total - 1,
  }
}

/** How far below the beginning of what scrolls an element lies, whatever comes and goes above it. */
function useOffset(element: RefObject<HTMLElement | null>, outer: HTMLElement | null): number {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const inner = element.current
    const content = outer?.firstElementChild
    if (!inner || !outer || !content) return
    const measure = () =>
      setOffset(
        Math.round(inner.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop),
      )
    measure()
    const watcher = new ResizeObserver(measure)
    watcher.observe(content)
    return () => watcher.disconnect()
  }, [element, outer])
  return offset
}
