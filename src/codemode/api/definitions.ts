/** Declarations of one namespace that somebody has written by hand. */
export interface Definition {
  /** What they declare of the namespace itself, by member: these are not generated. */
  members: ReadonlyMap<string, string>
  /** All of it, with the interface called as it is here. */
  textFor(interfaceName: string): string
}

/**
 * Reads `NAMESPACE.d.ts`: `interface NamespaceTools { tool(…): Promise<X> }`, and types of its own beside it. It is looked through, not
 * understood: whether it is right TypeScript is for the checker to say.
 */
export function readDefinition(text: string): Definition {
  const members = new Map<string, string>()
  const opening = /\binterface\s+(\w*Tools)\s*\{/g
  const blank = withoutText(text)
  for (let found = opening.exec(blank); found; found = opening.exec(blank)) {
    const from = found.index + found[0].length
    const to = closing(blank, from)
    for (const [name, member] of membersIn(text, blank, from, to))
      members.set(name, [members.get(name), member].filter(Boolean).join('\n'))
  }
  return {
    members,
    textFor: (name) =>
      text
        .trim()
        .replaceAll(/\b(?:export\s+)?(?:declare\s+)?interface\s+\w*Tools(?=\s*\{)/g, `interface ${name}`),
  }
}

/** Of the same length, and without what comments and strings say. */
const withoutText = (text: string): string =>
  text.replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g,
    (one) => one.replaceAll(/[^\n]/g, '\0'),
  )

function closing(blank: string, from: number): number {
  let depth = 0
  for (let at = from; at < blank.length; at += 1) {
    if (blank[at] === '{') depth += 1
    else if (blank[at] === '}') depth -= 1
    if (depth < 0) return at
  }
  return blank.length
}

function* membersIn(text: string, blank: string, from: number, to: number): Generator<[string, string]> {
  let depth = 0
  let start = from
  for (let at = from; at <= to; at += 1) {
    const letter = blank[at] ?? ''
    if ('({[<'.includes(letter)) depth += 1
    else if (')}]'.includes(letter) || (letter === '>' && blank[at - 1] !== '=')) depth -= 1
    const isEnd = at === to || (depth === 0 && (letter === ';' || letter === '\n'))
    if (!isEnd) continue
    const [, name] =
      /^[\s\0]*([\p{ID_Start}_$][\p{ID_Continue}$]*)\s*[(<?:]/u.exec(blank.slice(start, at)) ?? []
    if (name)
      yield [
        name,
        text
          .slice(start, at)
          .trim()
          .replaceAll(/^[ \t]+/gm, ''),
      ]
    // What stands before a member without being one is its comment.
    if (name || letter === ';') start = at + 1
  }
}
