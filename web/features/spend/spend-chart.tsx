import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { theme } from '../../theme.ts'
import { useStore } from '../../store.ts'
import { spendStrings } from '../../strings/spend.ts'
import { dollars, tokens } from './amounts.ts'
import type { Day } from './amounts.ts'

const height = 200
const halfADay = 43_200
const shortDay = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const dayWord = (seconds: number) => shortDay.format(seconds * 1000)
// Its kind of enum is gone by the time that this runs.
const right = { side: 1 } as unknown as Pick<uPlot.Axis, 'side'>

/** Days from left to right: dollars as bars, tokens as a line. The table below it has the same in numbers. */
export default function SpendChart({ days }: { days: readonly Day[] }) {
  const chosen = useStore(theme)
  return <Chart key={chosen} days={days} />
}

function Chart({ days }: { days: readonly Day[] }) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    let chart = draw(element, days)
    const again = () => {
      chart.destroy()
      chart = draw(element, days)
    }
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', again)
    return () => {
      observer.disconnect()
      dark.removeEventListener('change', again)
      chart.destroy()
    }
  }, [days])
  return (
    <figure
      ref={place}
      aria-label={spendStrings.chart(days.length)}
      data-chart
      className="h-60 pt-3 [&_.u-label]:font-normal! [&_.u-legend]:text-small [&_.uplot]:font-sans!"
    />
  )
}

/** Canvas knows no tokens of a style sheet: they are asked for by the element's own colours. */
function colour(element: HTMLElement, name: string): string {
  const sample = document.createElement('span')
  sample.style.color = `var(--${name})`
  element.append(sample)
  const { color } = getComputedStyle(sample)
  sample.remove()
  return color
}

function draw(element: HTMLElement, days: readonly Day[]): uPlot {
  const [text, mute, line, control, queue] = ['text', 'mute', 'line', 'control', 'queue'].map((name) =>
    colour(element, name),
  ) as [string, string, string, string, string]
  const axis = { stroke: mute, font: '11px "Inter Variable", system-ui', ticks: { show: false } }
  const grid = { stroke: line, width: 1 }
  const of = (value: number | null, told: (amount: number) => string) => (value === null ? '–' : told(value))
  // Noon: a day is a day in every time zone.
  const times = days.map(({ day }) => new Date(`${day}T12:00:00`).getTime() / 1000)
  const every = Math.ceil(days.length / Math.max(2, element.clientWidth / 90))
  return new uPlot(
    {
      width: element.clientWidth,
      height,
      cursor: { y: false, points: { show: false } },
      scales: {
        // The first and the last bar have room.
        x: { range: (_, first, last) => [first - halfADay, last + halfADay] },
        cost: { range: (_, __, most) => [0, Math.max(most * 1.1, 0.01)] },
        tokens: { range: (_, __, most) => [0, most * 1.1 || 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          splits: () => times.filter((_, index) => (times.length - 1 - index) % every === 0),
          values: (_, marks) => marks.map(dayWord),
        },
        { ...axis, grid, scale: 'cost', size: 56, values: (_, marks) => marks.map((mark) => dollars(mark)) },
        {
          ...axis,
          grid: { show: false },
          scale: 'tokens',
          ...right,
          size: 50,
          values: (_, marks) => marks.map((mark) => tokens(mark)),
        },
      ],
      series: [
        { label: spendStrings.columns.day, value: (_, time) => of(time, dayWord) },
        {
          label: spendStrings.cost,
          scale: 'cost',
          stroke: text,
          fill: control,
          width: 0,
          ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.7, 40] }) }),
          points: { show: false },
          value: (_, value) => of(value, dollars),
        },
        {
          label: spendStrings.tokens,
          scale: 'tokens',
          stroke: queue,
          width: 1.5,
          points: { show: false },
          value: (_, value) => of(value, tokens),
        },
      ],
    },
    [times, days.map(({ costUsd }) => costUsd), days.map(({ tokens: amount }) => amount)],
    element,
  )
}
