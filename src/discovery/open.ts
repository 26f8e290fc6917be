import { homedir } from 'node:os'
import { openDescribe } from './describe.ts'
import { readHabits } from './habits/read-habits.ts'
import { openLook } from './look.ts'
import { placesUnder } from './places.ts'
import type { Discovery } from './port.ts'
import { usualPlaces } from './schema/completions.ts'
import type { CompletionPlaces } from './schema/completions.ts'
import { figFolder } from './schema/fig-spec.ts'
import { openVersion } from './tell-version.ts'
import { openWalls } from './walls.ts'
import type { WallParts } from './walls.ts'

/** What is handed in; without it, what it is on a usual machine. */
export interface DiscoveryOptions {
  /** Under which the machine's own books are: packages, manuals, units. */
  root?: string
  home?: string
  /** Of what programs are run in when they are asked for help; without a filter of system calls none is run. */
  walls?: Partial<WallParts>
  completions?: CompletionPlaces
  figFolder?: string
}

export function openDiscovery(options: DiscoveryOptions = {}): Discovery {
  const { root = '/', home = homedir() } = options
  const places = placesUnder(root, home)
  const walls = openWalls({ path: process.env['PATH'] ?? '', seccomp: undefined, ...options.walls })
  return {
    look: openLook(places),
    habits: readHabits,
    describe: openDescribe({
      walls,
      completions: options.completions ?? usualPlaces,
      figFolder: options.figFolder ?? figFolder(),
    }),
    version: openVersion(walls),
    close: () => walls.close(),
  }
}
