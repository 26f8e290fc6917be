import type { Arguments } from './capability-args.ts'

// What cannot be told from a list of options: where their order matters.

/** Programs whose arguments may come after `--`. Elsewhere it could mean something else, and a value with a dash is refused. */
const dashed = new Set(
  `ls cat cp mv rm mkdir rmdir touch ln chmod chown chgrp head tail sort uniq wc cut tee stat du df tar grep egrep fgrep rg fd
  fdfind diff basename dirname readlink realpath sed gzip gunzip xz bzip2 zstd shred truncate unlink install mktemp paste comm join
  split sha256sum sha1sum md5sum cksum nl fold tac rev file tree less more zcat wget rsync`.split(/\s+/),
)
/** Of git those for which it does not say "from here on these are files". */
const dashedGit = new Set([
  'add',
  'commit',
  'rm',
  'mv',
  'push',
  'pull',
  'fetch',
  'clone',
  'branch',
  'tag',
  'init',
])
/** Of docker those that pass on what comes after the image. */
const dashedDocker = new Set(['run', 'exec', 'create', 'container run', 'container exec', 'container create'])

export function takesDashes(name: string, words: readonly string[]): boolean {
  const command = words.join(' ')
  if (name === 'git') return dashedGit.has(command)
  if (name === 'docker' || name === 'podman') return dashedDocker.has(command)
  return words.length === 0 && dashed.has(name)
}

/** Programs that take every long option with its value in one word, so that the value may begin with a dash. */
export const joinsAll = (name: string): boolean =>
  ['git', 'docker', 'podman', 'kubectl', 'helm', 'gh', 'npm', 'cargo', 'tar', 'grep', 'rg'].includes(name)

type Placed = Pick<Arguments, 'properties' | 'required'> & { tokens: string[] }
type Given = Arguments & { tokens: string[] }

/** The same where nothing more is known. `isMild` is for the one of two capabilities that does not force anything. */
export function withPlaces(line: string, given: Given, isMild: boolean): Placed {
  const { tokens, properties, required } = given
  const same = { tokens, properties, required }
  if (line === 'git push' && isMild) {
    // A plus before a branch forces it, a colon deletes one.
    const told = { description: 'Neither forced (+) nor deleted (:)', pattern: '^[^+:]' }
    const names = given.positionals.slice(1).map((slot) => slot.slice(2, -5))
    return {
      ...same,
      properties: {
        ...properties,
        ...Object.fromEntries(names.map((name) => [name, withItem(properties[name]!, told)])),
      },
    }
  }
  if (line === 'git checkout') return onlyBranch(given)
  if (line === 'npm run' || line === 'npm run-script')
    return passingOn(given, ['script', 'args'], 'What the script is started with')
  if (line === 'kubectl exec')
    return passingOn(given, ['pod', 'command'], 'What is run in there, one word each')
  if (isContained(line))
    return {
      tokens,
      properties: lastAsList(given),
      required: line.endsWith('exec') ? required : imageOnly(given),
    }
  if (line === 'ffmpeg') return { ...same, tokens: inputFirst(given) }
  return same
}

/** Before the dashes is a branch, also where a file has the same name. Files would be thrown away: that is `git restore`. */
function onlyBranch({ tokens, properties, required, positionals }: Given): Placed {
  const files = new Set(positionals.slice(1))
  const kept = Object.entries(properties).filter(([name]) => !files.has(`{{${name}...}}`))
  return {
    tokens: [...tokens.filter((token) => !files.has(token)), '--'],
    properties: Object.fromEntries(kept),
    required,
  }
}

const isContained = (line: string): boolean => {
  const [program = '', ...words] = line.split(' ')
  return (program === 'docker' || program === 'podman') && dashedDocker.has(words.join(' '))
}

/** An image knows itself what it runs. */
const imageOnly = ({ required, positionals }: Given): string[] =>
  required.filter((name) => !positionals.slice(1).includes(`{{${name}...}}`))

/** What is run in a container is a word and what that takes, though it may be told of as one. */
function lastAsList({ properties, positionals }: Given): Placed['properties'] {
  const name = positionals.at(-1)?.slice(2, -5)
  if (positionals.length < 2 || name === undefined || properties[name]?.['type'] === 'array')
    return properties
  const { title, description } = properties[name] ?? {}
  const items = { type: 'string' }
  return {
    ...properties,
    [name]: { type: 'array', items, title, ...(description !== undefined && { description }) },
  }
}

function withItem(property: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  const { pattern, ...about } = more
  if (property['type'] !== 'array') return { ...property, ...about, pattern }
  return { ...property, ...about, items: { ...(property['items'] as object), pattern } }
}

/** One positional, and after the dashes what is meant for somebody else. Nothing else stands where those two could be meant. */
function passingOn(
  { properties, options, positionals, required, tokens }: Given,
  [target, passed]: [target: string, passed: string],
  description: string,
): Placed {
  const own = new Set([target, passed, ...positionals.map((slot) => slot.slice(2, -5))])
  const kept = Object.entries(properties).filter(([name]) => !own.has(name))
  const slots = options.filter((slot) => !own.has(slot.slice(2, -5)))
  const [before = 0] = [options[0] ?? positionals[0]].map((slot) =>
    slot === undefined ? tokens.length : tokens.indexOf(slot),
  )
  return {
    tokens: [...tokens.slice(0, before), ...slots, `{{${target}...}}`, '--', `{{${passed}...}}`],
    properties: {
      [target]: { type: 'string', minLength: 1, title: target },
      [passed]: { type: 'array', items: { type: 'string' }, title: passed, description },
      ...Object.fromEntries(kept),
    },
    required: [target, ...required.filter((name) => !own.has(name))],
  }
}

/** What stands before an input is about that input; nearly all that people want is about the output. */
function inputFirst({ tokens, options, properties }: Given): string[] {
  const isInput = (slot: string) => properties[slot.slice(2, -5)]?.['x-flag'] === '-i'
  const inputs = options.filter(isInput)
  const [program = 'ffmpeg', ...rest] = tokens
  return [program, '-nostdin', ...inputs, ...rest.filter((token) => !inputs.includes(token))]
}
