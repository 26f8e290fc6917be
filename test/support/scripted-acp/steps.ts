import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Turn } from './sessions.ts'

const execute = promisify(execFile)

type Step = (turn: Turn, ...words: string[]) => Promise<void> | void

/** One line of a prompt: the first word says what to do. */
export async function runStep(line: string, turn: Turn): Promise<void> {
  const [word = '', ...words] = line.trim().split(' ')
  const step = steps[word]
  if (step) await step(turn, ...words)
  else say(turn, line)
}

const text = (words: string[]) => ({ type: 'text', text: words.join(' ') })
const say = (turn: Turn, ...words: string[]) =>
  turn.update({ sessionUpdate: 'agent_message_chunk', content: text(words) })

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]

async function askFor(
  turn: Turn,
  command: string,
  isToldBefore: boolean,
  offered = options,
): Promise<string> {
  const toolCallId = `run_shell_command__${randomUUID().slice(0, 8)}`
  const call = { toolCallId, title: command, kind: 'execute', status: 'pending' }
  if (isToldBefore) turn.update({ sessionUpdate: 'tool_call', ...call, rawInput: { command } })
  const answer = await turn.wire.ask('session/request_permission', {
    sessionId: turn.sessionId,
    toolCall: call,
    options: offered,
  })
  const { outcome } = answer.result as { outcome: { outcome: string; optionId?: string } }
  const isAllowed = outcome.outcome === 'selected' && outcome.optionId !== 'no'
  if (isAllowed || isToldBefore)
    turn.update({ sessionUpdate: 'tool_call_update', toolCallId, status: isAllowed ? 'completed' : 'failed' })
  return outcome.optionId ?? outcome.outcome
}

const steps: Record<string, Step> = {
  say,
  think: (turn, ...words) => turn.update({ sessionUpdate: 'agent_thought_chunk', content: text(words) }),
  /** A tool with its result: `tool NAME RESULT`. */
  tool(turn, name = 'tool', ...result) {
    const toolCallId = randomUUID()
    turn.update({
      sessionUpdate: 'tool_call',
      toolCallId,
      name,
      title: name,
      kind: 'other',
      rawInput: { name },
    })
    const content = [{ type: 'content', content: text(result) }]
    turn.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content })
  },
  /** A tool that never ends. */
  open: (turn, name = 'tool') =>
    turn.update({ sessionUpdate: 'tool_call', toolCallId: randomUUID(), name, title: name, kind: 'other' }),
  async ask(turn, ...command) {
    say(turn, `answered ${await askFor(turn, command.join(' '), true)}`)
  },
  /** Asks, and when it may, adds a line to a file: `note FILE WORD`. What a tool does happens as often as the line is there. */
  async note(turn, file = '', word = '') {
    const answered = await askFor(turn, `note ${word}`, true)
    if (answered === 'yes' || answered === 'always') appendFileSync(file, `${word}\n`)
    say(turn, `answered ${answered}`)
  },
  /** Offers to allow it for good, and nothing less. */
  async 'ask-for-good'(turn, ...command) {
    say(turn, `answered ${await askFor(turn, command.join(' '), true, options.slice(1))}`)
  },
  /** Asks, and what means yes is of a kind that nobody has heard of. */
  async 'ask-oddly'(turn, ...command) {
    const odd = { optionId: 'session', name: 'Yes, in this session', kind: 'allow_session' }
    say(turn, `answered ${await askFor(turn, command.join(' '), true, [odd, ...options.slice(2)])}`)
  },
  /** As Gemini does: the tool is first heard of in the question, and a refusal is not told. */
  async 'ask-first'(turn, ...command) {
    say(turn, `answered ${await askFor(turn, command.join(' '), false)}`)
  },
  /** As codex-acp does: a refusal is a cancel. */
  async 'ask-or-stop'(turn, ...command) {
    if ((await askFor(turn, command.join(' '), true)) === 'no') turn.end.stopReason = 'cancelled'
  },
  /** Asks once more on its way to the end. */
  async 'ask-when-cancelled'(turn, ...command) {
    await turn.cancelled
    say(turn, `answered ${await askFor(turn, command.join(' '), true)}`)
  },
  /** Asks, and takes the question back. */
  async 'ask-and-withdraw'(turn) {
    const toolCall = { toolCallId: 'withdrawn', title: 'ls', kind: 'execute' }
    const answered = turn.wire.ask('session/request_permission', {
      sessionId: turn.sessionId,
      toolCall,
      options,
    })
    turn.wire.send({ method: '$/cancel_request', params: { requestId: 0 } })
    say(turn, `error ${(((await answered).error as { code?: number }) ?? {}).code}`)
  },
  async question(turn, ...message) {
    const { result } = await turn.wire.ask('elicitation/create', {
      sessionId: turn.sessionId,
      mode: 'form',
      message: message.join(' '),
      requestedSchema: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
    })
    say(turn, JSON.stringify(result))
  },
  /** Asks for what nobody offered. */
  async request(turn, method = '') {
    const { error } = await turn.wire.ask(method, { sessionId: turn.sessionId, path: '/x' })
    say(turn, JSON.stringify(error))
  },
  plan: (turn, ...entries) =>
    turn.update({
      sessionUpdate: 'plan',
      entries: entries.map((content) => ({ content, priority: 'high', status: 'pending' })),
    }),
  /** A whole update, as JSON. */
  update: (turn, ...json) => turn.update(JSON.parse(json.join(' ')) as object),
  usage(turn, inputTokens = '0', outputTokens = '0') {
    turn.end.usage = { inputTokens: Number(inputTokens), outputTokens: Number(outputTokens) }
  },
  /** Of the whole session so far, in dollars. */
  cost: (turn, amount = '0') =>
    turn.update({
      sessionUpdate: 'usage_update',
      used: 1000,
      size: 200_000,
      cost: { amount: Number(amount), currency: 'USD' },
    }),
  stop(turn, reason = 'end_turn') {
    turn.end.stopReason = reason
  },
  error(turn, code = '-32603', ...message) {
    turn.end.error = { code: Number(code), message: message.join(' ') }
  },
  exit: async (_, code = '0') => {
    await drain()
    process.exit(Number(code))
  },
  kill: async (_, signal = 'SIGKILL') => {
    await drain()
    process.kill(process.pid, signal)
    await new Promise(() => undefined)
  },
  complain: (_, ...words) => void process.stderr.write(`${words.join(' ')}\n`),
  /** Says nothing until it is cancelled. */
  stall: (turn) => turn.cancelled,
  /** Says nothing, whatever happens. */
  deaf: (turn) => {
    turn.goDeaf()
    return new Promise(() => undefined)
  },
  wait: (_, ms = '0') => wait(Number(ms)),
  /** Numbered, so that a loss shows: `flood PER_SECOND SECONDS`. */
  async flood(turn, rate = '5000', seconds = '1') {
    const [perSecond, total] = [Number(rate), Number(rate) * Number(seconds)]
    const start = performance.now()
    for (let sent = 0; sent < total && !turn.isCancelled();) {
      const due = Math.min(total, Math.ceil(((performance.now() - start) / 1000) * perSecond))
      let hasRoom = true
      for (; sent < due; sent += 1)
        hasRoom = turn.wire.update(turn.sessionId, {
          sessionUpdate: 'agent_message_chunk',
          content: text([`${sent + 1};`]),
        })
      if (hasRoom) await wait(1)
      else await once(process.stdout, 'drain')
    }
  },
  /** Says so many words when the turn is over. */
  babble: (turn, count = '1') => {
    setTimeout(() => {
      for (let word = 1; word <= Number(count); word += 1)
        turn.wire.update(turn.sessionId, {
          sessionUpdate: 'agent_message_chunk',
          content: text([`babble ${word};`]),
        })
    }, 100)
  },
  /** One piece of so many characters. */
  long: (turn, length = '5000000', letter = 'é') => say(turn, letter.repeat(Number(length))),
  /** So many lines that are no messages. */
  garbage: (turn, count = '1') => {
    for (let line = 1; line <= Number(count); line += 1) turn.wire.write(`garbage ${line} {"jsonrpc\n`)
  },
  /** Messages that are none of the protocol's. */
  nonsense: (turn) => {
    turn.wire.write('[]\n"text"\n{"jsonrpc":"2.0","id":"never asked","result":{}}\n\n')
    turn.wire.send({ method: 'session/update', params: { sessionId: turn.sessionId, update: null } })
    turn.wire.update(turn.sessionId, { sessionUpdate: 'agent_message_chunk', content: 'text' })
    turn.wire.update(turn.sessionId, { sessionUpdate: 'never_heard_of', content: {} })
    turn.wire.update('another session', { sessionUpdate: 'agent_message_chunk', content: text(['lost']) })
  },
  /** Does it where it works, without asking, and says what came of it. */
  sh: (turn, ...words) =>
    say(turn, execFileSync('sh', ['-c', words.join(' ')], { encoding: 'utf8', stdio: 'pipe' }).trim()),
  /** Lets a program of its own call a tool of a server that it was given: `mcp TOOL JSON`. */
  async mcp(turn, tool = '', ...json) {
    const given = [join(import.meta.dirname, '../call-mcp.ts'), tool, json.join(' ') || '{}']
    const { stdout } = await execute(process.execPath, given)
    say(turn, stdout)
  },
  /** A grandchild that holds the output open and outlives its parent. */
  child: async (turn, seconds = '60') => {
    const child = spawn('sleep', [seconds], { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
    await once(child, 'spawn')
    say(turn, `child ${child.pid}`)
    child.unref()
  },
}

const drain = () => new Promise((resolve) => process.stdout.write('', resolve))
