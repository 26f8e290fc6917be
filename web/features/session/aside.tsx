import type { ReactNode } from 'react'
import { executionStrings } from '../../strings/execution.ts'

/** What is known beside what is read: at the side on a desk, folded above it on a phone. */
export function Aside({ children }: { children: ReactNode }) {
  return (
    <>
      <aside className="w-72 shrink-0 overflow-y-auto border-s border-line max-lg:hidden">{children}</aside>
      <details className="group max-h-[45dvh] shrink-0 overflow-y-auto border-b border-line lg:hidden">
        <summary className="cursor-pointer px-5.5 py-2 text-soft select-none max-sm:px-4">
          {executionStrings.details}
        </summary>
        {children}
      </details>
    </>
  )
}
