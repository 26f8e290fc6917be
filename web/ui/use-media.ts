import { useSyncExternalStore } from 'react'

/** Whether a media query holds, as it changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (heard) => {
      const list = matchMedia(query)
      list.addEventListener('change', heard)
      return () => list.removeEventListener('change', heard)
    },
    () => matchMedia(query).matches,
  )
}

/** Wide enough for two things beside each other. */
export const useIsWide = (): boolean => useMedia('(width >= 64rem)')
