import type { ApprovalAsked } from '#contract/agent-event.ts'
import { isObject, textIn } from './json-value.ts'
import { diffsOf, isTold } from './tool-call.ts'
import type { ToolCall } from './tool-call.ts'

const changing = new Set(['edit', 'delete', 'move'])
const placeFields = ['file_path', 'filePath', 'filepath', 'path', 'url']

/** What rules are matched against: the command, or each of the paths and addresses that it is told to be about. */
export function subjectsOf(call: ToolCall): Pick<ApprovalAsked, 'subject' | 'subjects' | 'isPlace'> {
  const command = commandOf(call)
  if (call.kind === 'execute')
    return { subject: command ?? (isTold(call.rawInput) ? null : call.title || null) }
  if (command !== undefined && !changing.has(call.kind)) return { subject: command }
  const told = placeFields.flatMap((key) => textIn(call.rawInput, key) || [])
  const places = [...told, ...call.paths, ...diffsOf(call).map(({ path }) => path)]
  const [subject = null, ...more] = new Set([...(command === undefined ? [] : [command]), ...places])
  return {
    subject,
    ...(subject !== null && more.length > 0 && { subjects: [subject, ...more] }),
    ...(command === undefined && subject !== null && { isPlace: true }),
  }
}

function commandOf({ rawInput }: ToolCall): string | undefined {
  const words = isObject(rawInput) ? rawInput['command'] : undefined
  return (
    textIn(rawInput, 'command') ??
    textIn(rawInput, 'cmd') ??
    (Array.isArray(words) ? words.map(String).join(' ') : undefined)
  )
}
