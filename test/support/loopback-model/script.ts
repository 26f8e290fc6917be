// What the model says is written into the prompt itself, as marks: `[[bash:touch a.txt]] [[text:Done.]]`. So conversations do
// not disturb each other, and one that is resumed after a crash goes on as it would have.

export type Step = (
  | Said
  | Called
  | Failing
  /** Begins to answer and says nothing more. */
  | { type: 'hang' }
) & {
  /** What it thinks first: `[[think:Hm.]]` before any other mark. */
  thought?: string
}

type Said =
  /** Says this, word by word, and ends the turn. */
  | { type: 'text'; text: string }
  /** Says this, and was not finished when it may say no more. */
  | { type: 'length'; text: string }
  /** Says so many numbers, ten in a second. */
  | { type: 'slow'; count: number }

type Called =
  /** Calls the tool with which the agent runs commands, whatever it calls it. */
  | { type: 'bash'; command: string }
  /** Calls the offered tool whose name ends so, with these arguments. */
  | { type: 'call'; tool: string; input: object }
  /**
   * Several at once: `[[calls:[["read",{"path":"a"}],["read",{"path":"b"}]]]]`, or one many times, `[[many:200 read {"path":"#"}]]`, where
   * `#` is its number.
   */
  | { type: 'calls'; calls: [tool: string, input: object][] }
  /** Two at once that have the same id. */
  | { type: 'twins'; tool: string; input: object }
  /** The same again and again, whatever comes of it. */
  | { type: 'loop'; tool: string; input: object }
  /** Calls a tool that nobody offers. */
  | { type: 'unknown'; tool: string; input: object }
  /** Calls a tool, and what should be its arguments is this text: `[[broken:read {"path":]]`. */
  | { type: 'broken'; tool: string; text: string }

/** These leave no trace in a conversation: given so many times, then it goes on with the next step. */
type Failing =
  /** Refuses the request with this status: `[[status:429 2 1]]`, twice, and to be asked again after a second. */
  | { type: 'status'; status: number; times: number; retryAfter?: number }
  /** Begins to answer, says so many words, and cuts the connection. */
  | { type: 'drop'; times: number; words: number }
  /** Answers with what is no answer. */
  | { type: 'garbage'; times: number }
  /** Refuses requests that are longer than so many characters. */
  | { type: 'overflow'; characters: number }

const opening = /\[\[(\w+):?/g

export const hasScript = (prompt: string): boolean => readScript(prompt).length > 0

export function readScript(prompt: string): Step[] {
  const steps: Step[] = []
  let thought: string | undefined
  for (let at = 0; ;) {
    opening.lastIndex = at
    const found = opening.exec(prompt)
    if (!found) return steps
    const [opened, type = ''] = found
    const from = found.index + opened.length
    const read = readRest(prompt, from, type)
    if (!read) {
      at = from
      continue
    }
    at = read.end
    if (type === 'think') thought = read.rest
    else {
      steps.push({ ...read.step!, ...(thought !== undefined && { thought }) })
      thought = undefined
    }
  }
}

/** A mark ends with the first brackets with which it makes sense: there may be some in its JSON. */
function readRest(prompt: string, from: number, type: string) {
  let failure: unknown
  for (let end = prompt.indexOf(']]', from); end !== -1; end = prompt.indexOf(']]', end + 1)) {
    const rest = prompt.slice(from, end).trim()
    if (type === 'think') return { rest, end: end + 2 }
    try {
      return { rest, step: readStep(type, rest), end: end + 2 }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure as Error
  return undefined
}

function readStep(type: string, rest: string): Step {
  const [first = '', ...others] = rest.split(' ')
  const last = others.join(' ')
  switch (type) {
    case 'text':
    case 'length':
      return { type, text: rest }
    case 'slow':
      return { type, count: Number(first) }
    case 'bash':
      return { type, command: rest }
    case 'call':
    case 'twins':
    case 'loop':
    case 'unknown':
      return { type, tool: first, input: last === '' ? {} : JSON.parse(last) }
    case 'calls':
      return { type, calls: JSON.parse(rest) }
    case 'many':
      return { type: 'calls', calls: many(Number(first), others[0] ?? '', others.slice(1).join(' ')) }
    case 'broken':
      return { type, tool: first, text: last }
    case 'status': {
      const [most = '', retryAfter] = others
      return {
        type,
        status: Number(first),
        times: times(most),
        ...(retryAfter && { retryAfter: Number(retryAfter) }),
      }
    }
    case 'drop':
      return { type, times: times(first), words: Number(others[0] ?? 4) }
    case 'garbage':
      return { type, times: times(first) }
    case 'overflow':
      return { type, characters: Number(first) }
    case 'hang':
      return { type }
    default:
      throw new Error(`The model knows no [[${type}]]`)
  }
}

const times = (text: string): number => (text === '' ? Infinity : Number(text))

const many = (count: number, tool: string, input: string): [string, object][] =>
  Array.from({ length: count }, (_, at) => [tool, JSON.parse(input.replaceAll('#', `${at + 1}`) || '{}')])

export interface SoFar {
  /** Of tools, since the prompt. */
  results: number
  /** Refusals leave no trace in a conversation: they are counted by whoever asks. */
  refused: number
  /** Of the request. */
  characters: number
}

/** The step that is due. Of a step with several calls all results are expected together. */
export function dueStep(script: Step[], { results, refused, characters }: SoFar): Step {
  let [left, failed] = [results, refused]
  for (const step of script) {
    if (step.type === 'overflow') {
      if (characters > step.characters) return step
    } else if (step.type === 'status' || step.type === 'drop' || step.type === 'garbage') {
      if (failed < step.times) return step
      failed -= step.times
    } else {
      const expected = resultsOf(step)
      if (left === 0 || step.type === 'loop') return step
      if (left < expected) throw new Error(`Of ${expected} calls only ${left} were answered`)
      left -= expected
    }
  }
  return { type: 'text', text: 'That is all.' }
}

function resultsOf(step: Step): number {
  if (step.type === 'calls') return step.calls.length
  return step.type === 'twins' ? 2 : 1
}
