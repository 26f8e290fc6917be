import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** The faces of a room, one of which is shown. */
export const Views = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav aria-label={label} className="flex rounded-control border border-line p-0.5">
    {children}
  </nav>
)

/** To one of them. It is a link: it can be opened in another tab, and the way back leads back. */
export function ViewLink({
  search,
  to,
  isShown,
  children,
}: {
  to: string
  search: object
  isShown: boolean
  children: ReactNode
}) {
  return (
    <Link
      to={to}
      search={search}
      aria-current={isShown ? 'page' : undefined}
      className={`flex h-6 items-center rounded-small px-2 max-sm:h-8 ${isShown ? 'bg-raise font-[550] text-text' : 'text-soft hover:text-text'}`}
    >
      {children}
    </Link>
  )
}
