import type { Choice } from '#contract/agent-event.ts'

/** Our boundary holds Codex, so it runs without its own sandbox; what it may do without asking is the mode. */
const modes = {
  ask: {
    policy: 'untrusted',
    label: 'Ask',
    description: 'Asks before everything but commands that are known to only look',
  },
  'on-request': {
    policy: 'on-request',
    label: 'When it sees fit',
    description: 'Asks when it thinks that it should',
  },
  never: { policy: 'never', label: 'Never ask', description: 'Does everything without asking' },
} as const

export type Mode = keyof typeof modes

export const usualMode: Mode = 'ask'

export const isMode = (name: string): name is Mode => Object.hasOwn(modes, name)

export const policyOf = (mode: Mode): string => modes[mode].policy

/** Not to ask at all is there for those who name it, and is not offered. */
export const modesOffered = (current: Mode): Choice[] =>
  Object.entries(modes)
    .filter(([id]) => id !== 'never' || current === 'never')
    .map(([id, { label, description }]) => ({ id, label, description }))

export const modeNames = Object.keys(modes).join(', ')
