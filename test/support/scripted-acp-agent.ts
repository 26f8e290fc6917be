// An agent that speaks ACP and does what it is told: every line of a prompt is one thing to do, as the table in
// scripted-acp/steps.ts says. `node scripted-acp-agent.ts`; the environment decides what it is (scripted-acp/setup.ts).
import { createInterface } from 'node:readline'
import { readSetup } from './scripted-acp/setup.ts'
import { ScriptedSessions } from './scripted-acp/sessions.ts'
import { openScriptedWire } from './scripted-acp/wire.ts'

const setup = readSetup(process.env)
const wire = openScriptedWire(setup.record)
const sessions = new ScriptedSessions(setup, wire)

if (setup.diesAtStart) {
  process.stderr.write('This machine is too old for me\n')
  process.exit(3)
}
if (setup.ignoresEnd) {
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 60_000)
}

createInterface({ input: process.stdin })
  .on('line', (line) => wire.take(line, (message) => void sessions.handle(message)))
  .once('close', () => {
    if (!setup.ignoresEnd) process.exit(0)
  })
