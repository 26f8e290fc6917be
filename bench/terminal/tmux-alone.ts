import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'

/** The peer: a shell in tmux, and one client on a terminal whose output is read and thrown away, with nothing in between. */
export interface TmuxAlone {
  type(text: string): void
  /** Resolves when this was shown. */
  until(text: string): Promise<void>
  /** Resolves with the next piece that is shown. */
  next: () => Promise<void>
  close(): void
}

export async function openTmuxAlone(): Promise<TmuxAlone> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tmux-'))
  const server = ['-S', join(folder, 't'), '-f', '/dev/null']
  const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', TERM: 'xterm-256color' }
  const session = [
    'set-option',
    '-g',
    'history-limit',
    '5000',
    ';',
    'set-option',
    '-g',
    'status',
    'off',
    ';',
    'new-session',
    '-d',
    '/bin/sh',
  ]
  execFileSync('tmux', [...server, 'start-server', ';', ...session], { env })
  const client = spawn('tmux', [...server, 'attach'], {
    name: 'xterm-256color',
    cols: 100,
    rows: 30,
    env,
    encoding: null,
  })
  let seen = ''
  let isShown: (() => void) | undefined
  client.onData((bytes) => {
    seen = (seen + (bytes as unknown as Buffer).toString('latin1')).slice(-20_000)
    isShown?.()
  })
  const next = () => new Promise<void>((resolve) => (isShown = resolve))
  const until = async (text: string) => {
    while (!seen.includes(text)) await next()
    seen = ''
  }
  client.write('echo tmux-$((1+1))\r')
  await until('tmux-2')
  return {
    type: (text) => client.write(text),
    until,
    next,
    close() {
      client.kill()
      execFileSync('tmux', [...server, 'kill-server'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
