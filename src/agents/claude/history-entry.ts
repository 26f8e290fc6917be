import type { OutsideTurn } from '../history.ts'
import { isRecord } from './frame.ts'

/** One line of a session file, as far as it matters to people. */
export interface Entry {
  uuid?: string
  cwd?: string
  at?: string
  title?: string
  said?: OutsideTurn
}

const longestText = 100_000
/** What Claude Code writes in the user's name. */
const notByPeople =
  /^(<(local-command|command-|system-reminder|task-notification|bash-)|\[Request interrupted)/

export function entryOf(line: Record<string, unknown>): Entry {
  const at = textAt(line, 'timestamp')
  const title = textAt(line, 'customTitle') ?? textAt(line, 'aiTitle') ?? textAt(line, 'summary')
  const text = saidIn(line)?.slice(0, longestText)
  const role = line['type'] === 'assistant' ? 'assistant' : 'user'
  const fields = { uuid: textAt(line, 'uuid'), cwd: textAt(line, 'cwd'), at, title }
  const known: Entry = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return text ? { ...known, said: { role, text, at: at ?? null } } : known
}

/** No sub-agents, no tools, nothing that was only meant for the model. */
function saidIn(line: Record<string, unknown>): string | undefined {
  if (line['isSidechain'] === true || line['isMeta'] === true) return undefined
  const { type, message, attachment } = line
  // A message that was taken up while a tool ran.
  if (type === 'attachment' && isRecord(attachment) && attachment['type'] === 'queued_command')
    return byPeople(textOf(attachment['prompt']))
  if (!isRecord(message)) return undefined
  if (type === 'assistant') return message['model'] === '<synthetic>' ? undefined : textOf(message['content'])
  return type === 'user' ? byPeople(textOf(message['content'])) : undefined
}

const byPeople = (text: string): string | undefined => (notByPeople.test(text) ? undefined : text)

function textOf(content: unknown): string {
  if (typeof content === 'string') return content.trim()
  const blocks = Array.isArray(content) ? content.filter(isRecord) : []
  const texts = blocks.flatMap((block) => (block['type'] === 'text' ? [String(block['text'])] : []))
  return texts.join('\n').trim()
}

function textAt(line: Record<string, unknown>, name: string): string | undefined {
  const value = line[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
