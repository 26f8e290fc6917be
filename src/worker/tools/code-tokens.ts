import type { CodeTokens } from '#contract/execute.ts'
import { countTokens } from '#lib/count-tokens.ts'
import type { ToolView } from './machine-tools.ts'

type Listed = ReturnType<ToolView['listTools']>

/** Counted once: what is listed changes when tools do. */
let last: { of: string; tokens: CodeTokens } | undefined

/** What a model reads of its tools, as clients hand it on: name, description, arguments. */
export async function codeTokens(all: Listed, byCode: Listed): Promise<CodeTokens> {
  const texts = [textOf(all), textOf(byCode)]
  const of = texts.join('\0')
  if (last?.of === of) return last.tokens
  const [listed = 0, code = 0] = await countTokens(texts)
  const tokens = { tools: all.length, listed, code, encoding: 'o200k_base' } as const
  last = { of, tokens }
  return tokens
}

const textOf = (tools: Listed): string =>
  tools
    .map(({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, input_schema: inputSchema }),
    )
    .join('\n')
