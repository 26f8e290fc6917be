import { part } from '../../part.tsx'
import { codeStrings as words } from '../../strings/code.ts'

/** Comes with CodeMirror, which is large: fetched when the playground is looked at, and not before. */
export const Playground = part(() => import('./playground.tsx'), OnItsWay)

function OnItsWay() {
  return <output className="animate-appear-late px-5.5 py-2 text-mute max-sm:px-4">{words.opening}</output>
}
