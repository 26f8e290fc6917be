import { createHash } from 'node:crypto'
import type { NameCollision } from '#contract/tool.ts'
import { inertLine } from '#lib/inert-text.ts'

const longestShort = 128
const longestOnWire = 64
/** Ours, whose tools have their plain names on the wire: agents know them by these. */
const plainNamespaces = ['board', 'code']

export interface Named<Offered> {
  offered: Offered
  /** Unique within its source, and fit to be shown, stored and matched. */
  short: string
  /** `namespace.short`. */
  name: string
  wireName: string
}

/**
 * Names the tools of one source, in their order. A name depends on nothing but its own source: a namespace holds no `__` and no dot, so
 * no tool of another one can have the same name, here or on the wire. Whatever the source calls its tools, the names are the same each time.
 */
export function nameTools<Offered extends { name: string }>(
  namespace: string,
  offered: readonly Offered[],
): { named: Named<Offered>[]; collisions: NameCollision[] } {
  const collisions: NameCollision[] = []
  const told = (name: string, tool: string, sentence: string) =>
    collisions.push({ name, source: namespace, tool: shown(tool), told: sentence })
  const firsts = new Map<string, Offered>()
  for (const tool of offered) {
    const name = typeof tool.name === 'string' ? tool.name : ''
    if (!firsts.has(name)) firsts.set(name, tool)
    else
      told(
        `${namespace}.${shortOf(name)}`,
        name,
        `${namespace} offers ${shown(name)} more than once: only the first one can be called.`,
      )
  }

  const shorts = unique(firsts.keys(), shortOf, (short, given, name) => {
    told(
      `${namespace}.${short}`,
      name,
      `${namespace} has more than one tool that would be ${short}: this one is ${given}.`,
    )
  })
  const onWire = (short: string) => wireNameOf(namespace, short)
  const wires = unique(
    shorts.values(),
    onWire,
    (wire, given, short) => {
      told(
        wire,
        short,
        `${namespace} has more than one tool that would be ${wire} on the wire: this one is ${given}.`,
      )
    },
    longestOnWire,
  )
  const named = [...firsts].map(([name, tool]) => {
    const short = shorts.get(name) ?? name
    return { offered: tool, short, name: `${namespace}.${short}`, wireName: wires.get(short) ?? short }
  })
  return { named, collisions }
}

/** Those that keep their names are served first, then the others in the order of their names: it does not matter who was listed first. */
function unique(
  names: Iterable<string>,
  to: (name: string) => string,
  tell: (wanted: string, given: string, name: string) => void,
  longest = longestShort,
): Map<string, string> {
  const wanted = [...names].map((name) => ({ name, becomes: to(name) }))
  const isAltered = ({ name, becomes }: (typeof wanted)[number]) => Number(!becomes.endsWith(name))
  const taken = new Set<string>()
  const given = new Map<string, string>()
  const inTurn = wanted.toSorted((a, b) => isAltered(a) - isAltered(b) || (a.name < b.name ? -1 : 1))
  for (const { name, becomes } of inTurn) {
    let free = becomes
    for (let round = 0; taken.has(free); round += 1) free = marked(becomes, `${round}${name}`, longest)
    if (free !== becomes) tell(becomes, free, name)
    taken.add(free)
    given.set(name, free)
  }
  return given
}

function shortOf(name: string): string {
  const spelled = name.slice(0, longestShort + 1).replaceAll(/[^\w.-]/g, '_')
  if (!/[a-z0-9]/i.test(spelled)) return `tool_${markOf(name)}`
  return name.length > longestShort ? marked(spelled, name, longestShort) : spelled
}

function wireNameOf(namespace: string, short: string): string {
  const spelled = short.replaceAll('.', '_')
  const wire = plainNamespaces.includes(namespace) ? spelled : `${namespace}__${spelled}`
  return wire.length > longestOnWire ? marked(wire, short, longestOnWire) : wire
}

/** Where a name is looked for: the namespaces that it may mean. */
export function namespacesIn(name: string): string[] {
  const [dotted] = name.split('.', 1)
  const [wired] = name.split('__', 1)
  return [dotted ?? '', wired ?? '', ...plainNamespaces].filter((namespace) => namespace !== name)
}

const marked = (name: string, of: string, longest: number) => `${name.slice(0, longest - 9)}_${markOf(of)}`
const markOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 8)

/** A name as its source wrote it, for people. */
export const shown = (name: string): string => {
  const line = inertLine(name)
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
