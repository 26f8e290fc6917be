import type { Entry } from '#boundaries/port.ts'
import { SCROLLBACK_LINES, VIEWERS_SESSION } from '#contract/keeper-protocol.ts'
import { NotStarted } from '#lib/program.ts'
import type { Program } from '#lib/program.ts'
import { next, plain } from './tmux.ts'

/** What tmux adds for programs: that there is a server outside is nobody's business inside. */
const added = ['TMUX', 'TMUX_PANE', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'SHELL', 'PWD']

// People can type, watch and detach (C-b d). With the keys that tmux usually has, they could start a shell outside the boundary.
const settings = [
  // So long the rest of a key, or of a character, may take: a large paste comes in pieces that are cut anywhere.
  ['set-option', '-s', 'escape-time', '50'],
  ['set-option', '-s', 'set-clipboard', 'off'],
  ['set-option', '-g', 'default-terminal', 'screen-256color'],
  ['set-option', '-g', 'status', 'off'],
  ['set-option', '-g', 'remain-on-exit', 'on'],
  ['set-option', '-g', 'history-limit', String(SCROLLBACK_LINES)],
  // As large as the smallest who types; whoever only reads does not count.
  ['set-option', '-g', 'window-size', 'smallest'],
  // On the usual screen of a terminal what scrolls away can be scrolled back to; on the other one it is gone.
  // All colours are passed on as they are, and not as the nearest of 256.
  ['set-option', '-ga', 'terminal-overrides', ',xterm*:smcup@:rmcup@:Tc'],
  ['unbind-key', '-a', '-T', 'prefix'],
  ['unbind-key', '-a', '-T', 'root'],
  ['bind-key', '-T', 'prefix', 'd', 'detach-client'],
]

interface Beginning {
  name: string
  program: Program
  entry: Entry
  /** The variable that all processes of the program carry. */
  mark: readonly [name: string, value: string]
  /** What is run beside it, with all that it writes for input. */
  copy: string | undefined
}

/** The words that start a server and the program in it, and answer with the pids of both. In one line: nothing it writes is missed. */
export function beginning({ name, program, entry, mark, copy }: Beginning): string[] {
  const place = ['-s', name, '-x', '160', '-y', '48', '-c', plain(program.cwd)]
  const commands = [
    ['start-server'],
    ...settings,
    ['set-environment', '-g', ...mark],
    ['new-session', '-d', ...place, '-P', '-F', '#{pid} #{pane_pid}', ...commandLine(program, entry)],
    // The same window, for those who come from elsewhere: they detach by leaving, so every key is the program's.
    ['new-session', '-d', '-t', name, '-s', VIEWERS_SESSION, '-x', '160', '-y', '48'],
    ['set-option', '-t', VIEWERS_SESSION, 'prefix', 'None'],
    ...(copy ? [['pipe-pane', '-O', '-t', name, copy]] : []),
  ]
  return commands.flatMap((command, index) => (index === 0 ? command : [next, ...command]))
}

/** Several words are executed as they are; a single one would go to a shell. */
function commandLine({ file, env }: Program, entry: Entry): string[] {
  if (file.includes('=')) throw new NotStarted(`${file} cannot be started in a terminal: its path has a "="`)
  const dropped = added.flatMap((name) => (env[name] === undefined ? ['-u', name] : []))
  const kept = added.flatMap((name) => (env[name] === undefined ? [] : [`${name}=${env[name]}`]))
  return ['/usr/bin/env', ...dropped, ...kept, ...entry.words]
}
