import type { ElementType, ReactNode } from 'react'

interface Props {
  as?: ElementType
  allowPinchZoom?: boolean
  shards?: unknown
  children?: ReactNode
}

/** Stands in for react-remove-scroll (see vite.config.ts): our page never scrolls as a whole, so nothing needs a lock. */
export function RemoveScroll({ as: Tag = 'div', allowPinchZoom: _zoom, shards: _shards, ...rest }: Props) {
  return <Tag {...rest} />
}
