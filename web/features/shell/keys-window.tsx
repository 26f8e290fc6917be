import { chatStrings } from '../../strings/chat.ts'
import { keyStrings } from '../../strings/key.ts'
import { terminalStrings } from '../../strings/terminal.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { rooms } from './rooms.ts'
import { closeWindow } from './windows.tsx'

type Key = [what: string, ...keys: string[]]
const groups: { name: string; keys: Key[] }[] = [
  {
    name: keyStrings.everywhere,
    keys: [
      [keyStrings.find, 'mod K'],
      [keyStrings.newTask, 'N'],
      [chatStrings.newChat, 'C'],
      ...rooms.map(({ name, letter }): Key => [keyStrings.go(name), 'G', letter.toUpperCase()]),
      [keyStrings.list, '?'],
    ],
  },
  {
    name: keyStrings.onBoard,
    keys: [
      [keyStrings.filter, '/'],
      [keyStrings.focus, '← ↑ ↓ →', 'H J K L'],
      [keyStrings.openCard, '↵'],
      [keyStrings.moveMenu, 'M', 'Space'],
      [keyStrings.startCard, 'S'],
      [keyStrings.moveCard, 'alt ← ↑ ↓ →'],
      [keyStrings.closeSheet, 'Esc'],
    ],
  },
  {
    name: keyStrings.onQuestions,
    keys: [
      [keyStrings.grant, 'Y'],
      [keyStrings.refuse, 'N'],
      [keyStrings.always, 'A'],
      [keyStrings.nextQuestion, 'J', 'K'],
    ],
  },
  {
    name: terminalStrings.inTerminal,
    keys: [
      [terminalStrings.find, 'Ctrl Shift F'],
      [terminalStrings.copy, 'Ctrl Shift C'],
      [terminalStrings.pasteKey, 'Ctrl Shift V'],
      [terminalStrings.scrollBack, 'Shift PageUp'],
      [terminalStrings.leave, 'Ctrl Shift ↵'],
    ],
  },
]

export default function KeysWindow() {
  return (
    <Dialog title={keyStrings.heading} onClose={closeWindow} className="w-160">
      <div className="grid gap-x-8 gap-y-4 overflow-y-auto px-4 pb-4 sm:grid-cols-2">
        {groups.map(({ name, keys }) => (
          <section key={name}>
            <h3 className="pb-1 text-small text-mute">{name}</h3>
            <dl>
              {keys.map(([what, ...names]) => (
                <div key={what} className="flex items-center gap-1.5 border-t border-line py-1.5">
                  <dt className="me-auto">{what}</dt>
                  {names.map((key) => (
                    <dd key={key}>
                      <Kbd keys={key} />
                    </dd>
                  ))}
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
