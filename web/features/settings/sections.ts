import {
  CircleUser,
  Gauge,
  Info,
  KeyRound,
  Palette,
  ScrollText,
  ShieldCheck,
  SlidersHorizontal,
  Users,
} from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import type { Principal, Scope } from '../../../src/contract/access.ts'
import type { settingsStrings } from '../../strings/settings.ts'

export type SectionName = keyof typeof settingsStrings.section

interface Section {
  name: SectionName
  Icon: LucideIcon
  /** One of these opens it; without, it is everybody's. The owner sees all. */
  needs?: readonly Scope[] | 'owner'
}

export const sections: readonly Section[] = [
  { name: 'appearance', Icon: Palette },
  { name: 'you', Icon: CircleUser },
  { name: 'policies', Icon: ShieldCheck, needs: ['approve'] },
  { name: 'budgets', Icon: Gauge, needs: 'owner' },
  { name: 'models', Icon: KeyRound, needs: ['chat', 'run'] },
  { name: 'users', Icon: Users, needs: 'owner' },
  { name: 'runtime', Icon: SlidersHorizontal, needs: ['admin'] },
  { name: 'audit', Icon: ScrollText, needs: ['run', 'tools', 'board'] },
  { name: 'about', Icon: Info, needs: ['admin'] },
]

export const maySee = ({ kind, scopes }: Pick<Principal, 'kind' | 'scopes'>, { needs }: Section): boolean =>
  kind === 'owner' ||
  needs === undefined ||
  (needs !== 'owner' && needs.some((scope) => scopes.includes(scope)))
