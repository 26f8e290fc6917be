import type { ProgramClass } from '#contract/discovery.ts'
import type { FileStart } from '../file-start.ts'
import type { Owner } from '../identify/owner.ts'
import { ambiguousAgents, builtins, daemons, knownAgents, tools, tuis } from './known-names.ts'

/** All that is known of a program before anybody has run it. */
export interface Facts {
  name: string
  owner: Owner | undefined
  start: FileStart
  /** Parts of the manual that it has a page in. */
  sections: readonly string[]
  description: string | null
  /** A unit of systemd keeps it running. */
  isService: boolean
}

export interface Verdict {
  class: ProgramClass
  /** From 0 to 1. */
  confidence: number
}

type Rule = (facts: Facts) => Verdict | undefined

const verdict = (of: ProgramClass, confidence: number): Verdict => ({ class: of, confidence })

/** What is installed by these is hardly ever anything but a tool. */
const forDevelopers: ReadonlySet<string | undefined> = new Set(['npm', 'pip', 'cargo', 'go'])

/** Says what a program is. Each rule says what one kind of evidence speaks for; whoever is surest is believed. */
export function classOf(facts: Facts): Verdict {
  let surest = verdict(
    'tool',
    facts.sections.length > 0 ? 0.7 : forDevelopers.has(facts.owner?.source) ? 0.65 : 0.5,
  )
  for (const rule of rules) {
    const said = rule(facts)
    if (said && said.confidence > surest.confidence) surest = said
  }
  return surest
}

const agent: Rule = ({ name, owner }) => {
  const known = Object.hasOwn(knownAgents, name) ? knownAgents[name] : undefined
  if (!known) return undefined
  if (owner?.source === 'none' || !owner) return ambiguousAgents.has(name) ? undefined : verdict('agent', 0.9)
  return known.packages.test(owner.package) ? verdict('agent', 0.99) : verdict('tool', 0.92)
}

const builtin: Rule = ({ name }) => (builtins.has(name) ? verdict('builtin', 0.98) : undefined)

const named: Rule = ({ name }) => {
  const bare = name
    .replace(/[-.]?\d[\d.]*$/, '')
    .replace(/\.(?:basic|tiny|nox|gtk3?|athena|distrib|real)$/, '')
  for (const one of [name, bare]) {
    const confidence = one === name ? 0.95 : 0.85
    if (tools.has(one)) return verdict('tool', confidence)
    if (tuis.has(one)) return verdict('tui', confidence)
    if (daemons.has(one)) return verdict('daemon', confidence)
  }
  return undefined
}

const daemonName = /(?:[a-z]d|daemon|[-_]server|[-_]exporter)$/i
const daemonWords = /\bdaemon\b|\bserver\b(?! (?:client|tool|configuration|status))/i
/** A tool that has to do with a daemon: to control, ask, test, convert for it. */
const aboutWords =
  /\b(?:control|command|configur|manage|create|convert|test|query|client|utility|tool|start and stop|interface (?:to|for)|print|display|show|list|check|monitor(?:s|ing)? of|wrapper|script|benchmark|dump|reload|stop|ping|send)/i

/** A unit that keeps it running, a name like a daemon's, a line that calls it one: two of three are enough. */
const daemon: Rule = ({ name, isService, description, sections }) => {
  const isNamed = daemonName.test(name)
  const isTold = daemonWords.test(description ?? '') && !aboutWords.test(description ?? '')
  const isForUsers = sections.includes('1')
  const count = [isService, isNamed, isTold].filter(Boolean).length
  if (count === 3) return verdict('daemon', 0.96)
  if (isService && (isNamed || isTold)) return verdict('daemon', 0.9)
  if (isNamed && isTold) return verdict('daemon', isForUsers ? 0.72 : 0.85)
  if (isService) return verdict('daemon', isForUsers ? 0.6 : 0.75)
  if (isTold && sections.includes('8') && !isForUsers) return verdict('daemon', 0.72)
  return undefined
}

const tuiWords =
  /\b(?:n?curses|tui|text[- ](?:based )?user interface|terminal (?:ui|user interface)|interactive (?:process )?viewer|full[- ]screen|text editor|file manager|terminal multiplexer|pager)\b/i
const screens = /^lib(?:ncursesw?|cursesw?|slang|form|menu|panel)(?:w)?\.so/

/** libtinfo alone is no sign: readline brings it along. */
const tui: Rule = ({ start, description }) => {
  const isLinked = start.libraries.some((library) => screens.test(library))
  const isTold = tuiWords.test(description ?? '')
  if (isLinked) return verdict('tui', isTold ? 0.93 : 0.75)
  return isTold ? verdict('tui', 0.82) : undefined
}

const tool: Rule = ({ sections, start, isService }) => {
  if (isService) return undefined
  if (start.kind === 'script' && sections.includes('1')) return verdict('tool', 0.8)
  return undefined
}

const rules: readonly Rule[] = [agent, builtin, named, daemon, tui, tool]
