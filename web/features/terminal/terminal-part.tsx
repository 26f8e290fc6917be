import { part } from '../../part.tsx'
import { terminalStrings as words } from '../../strings/terminal.ts'

/** Comes with xterm.js, which is large, so it is fetched when a terminal is looked at, and not before (see vite.config.ts). */
export const TerminalPane = part(() => import('./terminal-pane.tsx'), OnItsWay)

function OnItsWay() {
  return <output className="animate-appear-late px-5.5 py-2 text-mute">{words.opening}</output>
}
