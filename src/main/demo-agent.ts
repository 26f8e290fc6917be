#!/usr/bin/env node
// The demo agent: speaks ACP over stdin and stdout, knows no model and no network, and does one small job in the folder that it
// is given. Bundled alone, so that it runs inside walls on whatever Node is there.
import { createInterface } from 'node:readline'
import { DemoSessions } from '#demo/sessions.ts'

const version = '1.0.0'
if (process.argv.includes('--version')) {
  process.stdout.write(`${version}\n`)
  process.exit(0)
}

const sessions = new DemoSessions({
  version,
  pauseMs: 400,
  send: (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
})
createInterface({ input: process.stdin })
  .on('line', (line) => {
    try {
      void sessions.take(JSON.parse(line))
    } catch {
      process.stderr.write('A line that is no message was skipped\n')
    }
  })
  .once('close', () => process.exit(0))
