import type { ProgramSchema } from '#contract/discovery.ts'
import { withDanger } from './danger.ts'
import { NotStarted } from '#lib/program.ts'
import type { Discovery, SeenProgram } from './port.ts'
import { fromCompletions } from './schema/completions.ts'
import type { CompletionPlaces } from './schema/completions.ts'
import { fromFig } from './schema/fig.ts'
import { fromHelp } from './schema/from-help.ts'
import { fromModel } from './schema/from-model.ts'
import { merge } from './schema/merge.ts'
import type { Walls } from './walls.ts'

interface DescribeParts {
  walls: Walls
  completions: CompletionPlaces
  figFolder: string
  /** How long a program may take to say what it is, its walls included; and after that all its commands. */
  patienceMs?: { whole: number; known: number; unknown: number }
}

const usualPatience = { whole: 8_000, known: 5_000, unknown: 20_000 }

export function openDescribe(parts: DescribeParts): Discovery['describe'] {
  const { walls, completions, figFolder, patienceMs = usualPatience } = parts
  return async (program, { model, signal, onUnasked } = {}) => {
    const troubles: string[] = []
    const note = (error: unknown) => {
      signal?.throwIfAborted()
      if (error instanceof NotStarted) onUnasked?.(error.message)
      troubles.push(error instanceof Error ? error.message : String(error))
      return undefined
    }
    // Fig knows no agents, but other programs of the same name.
    const isAgent = program.class === 'agent' || program.preset !== null
    const fig = isAgent ? undefined : await fromFig(program.name, figFolder).catch(note)
    const found = await fromCompletions(program.name, program.realPath, completions)
    troubles.push(...found.troubles)
    const known = fig ?? found.telling
    const help = await fromHelp(program, walls, {
      signal,
      isAsked: (word) => !isKnown(known, word),
      also: known?.commands.flatMap(({ words }) => (words.length === 1 ? words : [])) ?? [],
      patienceMs: { whole: patienceMs.whole, below: known ? patienceMs.known : patienceMs.unknown },
    }).catch(note)
    const asked = model && (await askModel(program, help?.text, model, signal).catch(note))
    // What has been thought out, what was written for people to read, what only lists words.
    const [best, ...others] = [asked, fig, found.telling, help?.schema ?? found.listing].filter(
      (one) => one !== undefined,
    )
    if (!best) throw new Error(whyNothing(program, troubles))
    const whole = others.reduce(merge, best)
    return withDanger(program, withDescription(whole, program.description))
  }
}

async function askModel(
  { name }: SeenProgram,
  help: string | undefined,
  model: NonNullable<NonNullable<Parameters<Discovery['describe']>[1]>['model']>,
  signal: AbortSignal = new AbortController().signal,
): Promise<ProgramSchema> {
  if (help === undefined) throw new Error('A model was not asked: there is no help text to show it.')
  return fromModel(name, help, model, signal)
}

/** One that a better source has only named is worth a question. */
function isKnown(schema: ProgramSchema | undefined, word: string): boolean {
  const command = schema?.commands.find(({ words }) => words.length === 1 && words[0] === word)
  return command !== undefined && command.options.length + command.positionals.length > 0
}

function withDescription(schema: ProgramSchema, description: string | null): ProgramSchema {
  const [whole, ...others] = schema.commands
  if (!whole || whole.words.length > 0 || description === null) return schema
  return { ...schema, commands: [{ ...whole, description }, ...others] }
}

function whyNothing({ name }: SeenProgram, troubles: readonly string[]): string {
  const reasons = troubles.length > 0 ? ` ${troubles.join(' ')}` : ''
  return `Nothing is known of what ${name} can be asked for: Fig has no spec of it, and there is no completion for it here.${reasons}`
}
