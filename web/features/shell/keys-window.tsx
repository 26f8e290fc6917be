import { chatStrings } from '../../chat-strings.ts'
import { roomStrings } from '../../room-strings.ts'
import { terminalStrings } from '../../terminal-strings.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { closeWindow } from './windows.tsx'

const groups: { name: string; keys: [what: string, ...keys: string[]][] }[] = [
  {
    name: roomStrings.keys.everywhere,
    keys: [
      [roomStrings.keys.find, 'mod K'],
      [roomStrings.keys.newTask, 'N'],
      [chatStrings.newChat, 'C'],
      [roomStrings.keys.goBoard, 'G', 'B'],
      [roomStrings.keys.goInbox, 'G', 'I'],
      [roomStrings.keys.goSessions, 'G', 'S'],
      [roomStrings.keys.goAgents, 'G', 'A'],
      [roomStrings.keys.goWorkspaces, 'G', 'W'],
      [roomStrings.keys.goSettings, 'G', ','],
      [roomStrings.keys.list, '?'],
    ],
  },
  {
    name: roomStrings.keys.onBoard,
    keys: [
      [roomStrings.keys.filter, '/'],
      [roomStrings.keys.focus, '← ↑ ↓ →', 'H J K L'],
      [roomStrings.keys.openCard, '↵'],
      [roomStrings.keys.moveMenu, 'M', 'Space'],
      [roomStrings.keys.moveCard, 'alt ← ↑ ↓ →'],
      [roomStrings.keys.closeSheet, 'Esc'],
    ],
  },
  {
    name: roomStrings.keys.onQuestions,
    keys: [
      [roomStrings.keys.grant, 'Y'],
      [roomStrings.keys.refuse, 'N'],
      [roomStrings.keys.always, 'A'],
      [roomStrings.keys.nextQuestion, 'J', 'K'],
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
    <Dialog title={roomStrings.keys.heading} onClose={closeWindow} className="w-160">
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
