// Claude Code as far as taking over needs it: with `-p` it speaks its protocol, without it has a screen of its own. Both write
// the same record of the session. Told to "ask" it waits for a permission, told "do: COMMAND" in a line of its own for one to do that; told to "think" it waits to be interrupted, told to "think deaf" in vain.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const args = process.argv.slice(2)
const after = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
const ref = after('--resume') ?? after('--session-id') ?? randomUUID()
const folder = join(process.env['CLAUDE_CONFIG_DIR'] ?? '/nowhere', 'projects', 'work')
const record = join(folder, `${ref}.jsonl`)
mkdirSync(folder, { recursive: true })

if (args.includes('--version')) process.stdout.write('2.1.325 (Claude Code)\n')
else if (after('--resume') && !existsSync(record)) process.exit(1)
else if (args.includes('-p')) speak()
else show()

/** Writes a turn down, and answers with how many there were. */
function turn(asked: string): string {
  write('user', asked)
  const turns = readFileSync(record, 'utf8').match(/"type":"user"/g)?.length ?? 0
  const answer = `turn ${turns}: ${asked}`
  write('assistant', answer)
  return answer
}

function write(role: 'user' | 'assistant', text: string): void {
  const message = { role, content: [{ type: 'text', text }] }
  const line = { type: role, uuid: randomUUID(), cwd: process.cwd(), timestamp: new Date(), message }
  appendFileSync(record, `${JSON.stringify(line)}\n`)
}

function speak(): void {
  const send = (frame: object) => process.stdout.write(`${JSON.stringify({ session_id: ref, ...frame })}\n`)
  const respond = (id: string, response: object) =>
    send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } })
  const result = (more: object) =>
    send({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, usage: {}, ...more })
  let asking: string | undefined
  let isDeaf = false

  createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, request_id: id, request, response, message } = JSON.parse(line)
    if (type === 'user') begin(textOf(message.content))
    else if (type === 'control_response' && response.request_id === asking) goOn(response.response)
    else if (type !== 'control_request') return
    else if (request.subtype === 'interrupt') interrupt(id)
    else respond(id, { cancelled: false })
  })

  function begin(asked: string): void {
    send({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'fake', permissionMode: 'default' })
    isDeaf = asked === 'think deaf'
    if (asked.startsWith('think')) return write('user', asked)
    const [wanted, command = 'touch asked'] = /^do: (.*)/m.exec(asked) ?? []
    if (asked !== 'ask' && !wanted) {
      const content = [{ type: 'text', text: turn(asked) }]
      send({ type: 'assistant', message: { id: randomUUID(), role: 'assistant', content } })
      return void result({ terminal_reason: 'completed' })
    }
    write('user', asked)
    asking = randomUUID()
    const input = { command }
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input }]
    send({ type: 'assistant', message: { id: randomUUID(), role: 'assistant', content } })
    const question = { subtype: 'can_use_tool', tool_name: 'Bash', input, tool_use_id: 'toolu_1' }
    send({ type: 'control_request', request_id: asking, request: question })
  }

  function goOn({ behavior, updatedInput }: { behavior: string; updatedInput?: { command: string } }): void {
    asking = undefined
    const isAllowed = behavior === 'allow'
    if (isAllowed && updatedInput) execFileSync('sh', ['-c', updatedInput.command])
    const outcome = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done', is_error: !isAllowed }
    send({ type: 'user', message: { role: 'user', content: [outcome] } })
    const answer = isAllowed ? 'It is done.' : 'Then not.'
    write('assistant', answer)
    const content = [{ type: 'text', text: answer }]
    send({ type: 'assistant', message: { id: randomUUID(), role: 'assistant', content } })
    result({ terminal_reason: 'completed' })
  }

  function interrupt(id: string): void {
    if (isDeaf) return
    if (asking) send({ type: 'control_cancel_request', request_id: asking })
    asking = undefined
    respond(id, { still_queued: [] })
    result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' })
  }
}

function textOf(content: string | { text?: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')
}

function show(): void {
  const { stdin, stdout } = process
  stdout.write(`\u001B[?1049h\u001B[?2004hThis is ${ref}\n`)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let line = ''
  let hasAsked = false
  stdin.on('data', (keys: string) => {
    for (const key of keys) {
      if (key === '\u0003' && hasAsked) process.exit(0)
      hasAsked = key === '\u0003'
      if (key === '\r') {
        stdout.write(`${turn(line)}\n`)
        line = ''
      } else if (key >= ' ') line += key
    }
  })
}
