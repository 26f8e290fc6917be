// What the model says is written into the prompt itself, as marks: `[[bash:touch a.txt]] [[text:Done.]]`. So conversations do
// not disturb each other, and one that is resumed after a crash goes on as it would have.

export type Step =
  /** Says this, word by word, and ends the turn. */
  | { type: 'text'; text: string }
  /** Says so many numbers, ten in a second. */
  | { type: 'slow'; count: number }
  /** Calls the tool with which the agent runs commands, whatever it calls it. */
  | { type: 'bash'; command: string }
  /** Calls the offered tool whose name ends so, with these arguments. */
  | { type: 'call'; tool: string; input: object }
  /** Refuses the request with this status, so many times; then it goes on with the next step. */
  | { type: 'status'; status: number; times: number }
  /** Begins to answer and cuts the connection, so many times; then it goes on with the next step. */
  | { type: 'drop'; times: number }
  /** Begins to answer and says nothing more. */
  | { type: 'hang' }

const mark = /\[\[(\w+):?([^]*?)\]\]/g

export const hasScript = (prompt: string): boolean => readScript(prompt).length > 0

export function readScript(prompt: string): Step[] {
  return [...prompt.matchAll(mark)].map(([, type = '', rest = '']) => readStep(type, rest.trim()))
}

function readStep(type: string, rest: string): Step {
  const [first = '', ...others] = rest.split(' ')
  const last = others.join(' ')
  switch (type) {
    case 'text':
      return { type, text: rest }
    case 'slow':
      return { type, count: Number(first) }
    case 'bash':
      return { type, command: rest }
    case 'call':
      return { type, tool: first, input: last === '' ? {} : JSON.parse(last) }
    case 'status':
      return { type, status: Number(first), times: times(last) }
    case 'drop':
      return { type, times: times(first) }
    case 'hang':
      return { type }
    default:
      throw new Error(`The model knows no [[${type}]]`)
  }
}

const times = (text: string): number => (text === '' ? Infinity : Number(text))

/**
 * The step that is due: each tool's result since the prompt is one step done. Refusals leave no trace in a conversation, so
 * how many of them were given is counted by whoever asks.
 */
export function dueStep(script: Step[], resultsSincePrompt: number, refusedSoFar: number): Step {
  let results = resultsSincePrompt
  let refused = refusedSoFar
  for (const step of script) {
    if (step.type === 'status' || step.type === 'drop') {
      if (refused < step.times) return step
      refused -= step.times
    } else {
      if (results === 0) return step
      results -= 1
    }
  }
  return { type: 'text', text: 'That is all.' }
}
