import { homedir } from 'node:os'
import { readHabits } from './habits/read-habits.ts'
import { openLook } from './look.ts'
import { placesUnder } from './places.ts'
import type { Discovery } from './port.ts'

/** What is handed in; without it, what it is on a usual machine. */
export interface DiscoveryOptions {
  /** Under which the machine's own books are: packages, manuals, units. */
  root?: string
  home?: string
}

export function openDiscovery({ root = '/', home = homedir() }: DiscoveryOptions = {}): Discovery {
  const places = placesUnder(root, home)
  const later = () => Promise.reject(new Error('not yet'))
  return {
    look: openLook(places),
    habits: readHabits,
    describe: later,
    version: later,
    close: async () => undefined,
  }
}
