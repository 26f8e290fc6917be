import type { Command, CommandOption, CommandValue, ProgramSchema } from '#contract/discovery.ts'
import { mostCommands, newCommand, newOption, newSchema, newValue } from './command.ts'
import { figFolder, loadFigSpec } from './fig-spec.ts'
import type { FigArg, FigCommand, FigOption, OneOrMany } from './fig-spec.ts'

/** So many other files one spec may be spread over. */
const mostParts = 40

interface Waiting {
  words: string[]
  spec: FigCommand
  /** Of all commands above it. */
  inherited: CommandOption[]
}

/** What Fig says of a program. Undefined when it has nothing to say; rejects when its spec is broken. */
export async function fromFig(
  name: string,
  folder: string = figFolder(),
): Promise<ProgramSchema | undefined> {
  const spec = (await loadFigSpec(name, folder)) ?? (await loadFigSpec(plainName(name), folder))
  if (!spec) return undefined
  const commands: Command[] = []
  const waiting: Waiting[] = [{ words: [], spec, inherited: [] }]
  let parts = 0
  let leftOut = 0
  // Level by level: should there be too much, it is the deeper levels that are left out.
  for (const one of waiting) {
    if (commands.length >= mostCommands) {
      leftOut += 1
      continue
    }
    const hasMore = typeof one.spec.loadSpec === 'string' && one.words.length > 0
    const more =
      hasMore && parts < mostParts
        ? await loadFigSpec(one.spec.loadSpec!, folder).catch(() => undefined)
        : undefined
    if (hasMore) parts += 1
    const whole = more
      ? { ...more, name: one.spec.name ?? [], description: one.spec.description ?? more.description ?? '' }
      : one.spec
    const { command, inherited } = read({ ...one, spec: whole })
    commands.push(command)
    for (const below of list(whole.subcommands)) {
      const word = wordOf(below)
      if (word && !below.hidden && one.words.length < 4)
        waiting.push({ words: [...one.words, word], spec: below, inherited })
    }
  }
  if (without.has(name)) return newSchema('fig', [asOne(commands)], leftOut)
  const [root, ...others] = commands
  const isEmpty = others.length === 0 && root?.options.length === 0 && root.positionals.length === 0
  return isEmpty ? undefined : newSchema('fig', commands, leftOut)
}

/** Fig takes the letters of `tar xf`, what sed can be told, and some options of dpkg for commands. */
const without = new Set(['tar', 'bsdtar', 'sed', 'dpkg'])

function asOne([root, ...letters]: Command[]): Command {
  return newCommand([], { ...root, options: [root, ...letters].flatMap((one) => one?.options ?? []) })
}

function read({ words, spec, inherited }: Waiting): { command: Command; inherited: CommandOption[] } {
  const options = list(spec.options).flatMap((told) => {
    const option = optionOf(told)
    return option ? [{ option, isPersistent: told.isPersistent === true }] : []
  })
  const own = options.map(({ option }) => option)
  const passedOn = options.filter(({ isPersistent }) => isPersistent).map(({ option }) => option)
  const positionals = list(spec.args).map((arg, at) =>
    valueOf(arg, at === 0 ? 'argument' : `argument${at + 1}`),
  )
  const command = newCommand(words, {
    description: spec.description ?? '',
    options: [...own, ...inherited],
    positionals,
  })
  return { command, inherited: [...inherited, ...passedOn] }
}

/** Undefined for one that cannot be written as one word and one value. */
function optionOf(told: FigOption): CommandOption | undefined {
  const { requiresSeparator, requiresEquals } = told
  const args = list(told.args)
  const names = list(told.name).filter((name) => /^(-{1,2}[^\s=-][^\s=]*|[a-z][\w-]*=)$/.test(name))
  if (told.hidden || names.length === 0 || args.filter(({ isOptional }) => !isOptional).length > 1)
    return undefined
  if (typeof requiresSeparator === 'string' && requiresSeparator !== '=') return undefined
  const [arg] = args
  // `if=` is an option of dd, whose value stands right behind it.
  const isWord = !names[0]!.startsWith('-')
  if (isWord && !arg) return undefined
  const value = arg ? valueOf(arg, 'value') : null
  return newOption(isWord ? names.map((name) => name.slice(0, -1)) : names, {
    description: told.description ?? '',
    value,
    isJoined:
      isWord ||
      requiresSeparator === true ||
      requiresSeparator === '=' ||
      requiresEquals === true ||
      isLooseValue(value, names),
    isRepeatable:
      told.isRepeatable === true || typeof told.isRepeatable === 'number' || arg?.isVariadic === true,
    isRequired: told.isRequired === true,
    danger: told.isDangerous ? 2 : 0,
  })
}

/** A value that need not be there has to be joined to the name, or it would be something else. */
const isLooseValue = (value: CommandValue | null, names: readonly string[]): boolean =>
  value?.isOptional === true && names.some((name) => name.startsWith('--'))

function valueOf(arg: FigArg, fallback: string): CommandValue {
  const { name, description = '', template, isOptional = false, isVariadic = false } = arg
  const examples = list(arg.suggestions)
    .flatMap((one) => (typeof one === 'string' ? one : list(one.name)))
    .filter((one) => one.length > 0 && one.length < 40)
    .slice(0, 8)
  const told =
    examples.length > 0 && !arg.generators
      ? `${description}${description && '; '}for example ${examples.join(', ')}`
      : description
  const isPath = list(template).some((one) => one === 'filepaths' || one === 'folders')
  return newValue(name ?? fallback, {
    description: told,
    isOptional,
    isVariadic,
    ...(isPath && { type: 'path' }),
  })
}

/** Of several names the one that is written out: `install`, not `i`. Only npm has a longer one that nobody uses. */
function wordOf({ name }: FigCommand): string | undefined {
  const names = list(name).filter((one) => /^[^\s-][^\s]{0,99}$/.test(one) && one !== 'run-script')
  const longest = Math.max(...names.map((one) => one.length))
  return names.find((one) => one.length === longest)
}

const list = <Thing>(things: OneOrMany<Thing> | undefined): Thing[] =>
  Array.isArray(things) ? things : things === undefined || things === null ? [] : [things]

const sameAs: Readonly<Record<string, string>> = {
  nodejs: 'node',
  batcat: 'bat',
  fdfind: 'fd',
  gmake: 'make',
  gtar: 'tar',
}

/** `python3.13` and `pip3` are python and pip. */
function plainName(name: string): string {
  const plain = Object.hasOwn(sameAs, name) ? sameAs[name]! : name
  return plain.replace(/(?<=[a-z])-?\d+(\.\d+)*$/, '')
}
