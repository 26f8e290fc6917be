import { strings } from '../../strings/page.ts'
import { terminalStrings } from '../../strings/terminal.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { withoutControls } from './paste.ts'
import type { Pasted } from './paste.ts'

const words = terminalStrings.pasteWindow
const most = 20_000
const figure = (amount: number) => amount.toLocaleString('en')

interface Props {
  pasted: Pasted
  /** The program takes line ends of a paste for text. */
  isBracketed: boolean
  onPaste: (text: string) => void
  onClose: () => void
}

/** Shows what a program would be given, every character of it, before it gets it. */
export function PasteWindow({
  pasted: { text, lines, hasEnter, controls },
  isBracketed,
  onPaste,
  onClose,
}: Props) {
  const paste = (what: string) => () => {
    onClose()
    onPaste(what)
  }
  return (
    <Dialog title={words.heading(lines)} onClose={onClose} className="w-160">
      <div className="flex min-h-0 flex-col gap-2 px-4 pb-4">
        {controls > 0 && <p className="text-stop">{words.controls(controls)}</p>}
        {hasEnter && <p className="text-soft">{isBracketed ? words.told : words.runs}</p>}
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled with the keyboard
          tabIndex={0}
          aria-label={words.label}
          data-pasted
          className="max-h-60 overflow-y-auto rounded-control border border-line bg-ground px-3 py-2 font-mono text-small wrap-anywhere whitespace-pre-wrap"
        >
          {visibleText(text.slice(0, most))}
        </pre>
        {text.length > most && (
          <p className="text-small text-mute">{words.isCut(figure(most), figure(text.length))}</p>
        )}
        <div className="flex justify-end gap-2 pt-2">
          <Button onClick={onClose}>{strings.cancel}</Button>
          {controls > 0 && <Button onClick={paste(text)}>{words.asItIs}</Button>}
          <Button
            look="main"
            ref={(button) => button?.focus()}
            onClick={paste(controls > 0 ? withoutControls(text) : text)}
          >
            {controls > 0 ? words.without : words.submit}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
