import type { TaskPriority } from '../../src/contract/task.ts'
import { strings } from '../strings/page.ts'

export const priorities = ['low', 'medium', 'high', 'critical'] as const satisfies TaskPriority[]

/** Rising bars for low to high, a filled square for critical: told apart without colour. `isNamed`: its word stands beside it. */
export function PriorityMark({ priority, isNamed }: { priority: TaskPriority; isNamed?: boolean }) {
  const label = strings.priorityLabel(strings.priority[priority])
  const level = priorities.indexOf(priority)
  return (
    <span title={label} className="flex">
      <svg viewBox="0 0 12 12" className="size-3 shrink-0" aria-hidden="true">
        {priority === 'critical' ? (
          <path
            className="fill-text"
            fillRule="evenodd"
            d="M2 0h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H2a2 2 0 0 1-2-2V2a2 2 0 0 1 2-2Zm3.2 2.5.3 4.5h1l.3-4.5H5.2ZM6 8a1 1 0 1 0 0 2 1 1 0 0 0 0-2Z"
          />
        ) : (
          [0, 1, 2].map((bar) => (
            <rect
              key={bar}
              x={1 + bar * 3.8}
              y={8 - bar * 3}
              width="2.4"
              height={3 + bar * 3}
              rx="0.8"
              className={bar <= level ? 'fill-soft' : 'fill-edge'}
            />
          ))
        )}
      </svg>
      {!isNamed && <span className="sr-only">{label}</span>}
    </span>
  )
}
