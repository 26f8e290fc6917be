import { strings } from '../../strings.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { closeWindow } from './windows.tsx'

const groups: { name: string; keys: [what: string, ...keys: string[]][] }[] = [
  {
    name: strings.keys.everywhere,
    keys: [
      [strings.keys.find, 'mod K'],
      [strings.keys.newTask, 'N'],
      [strings.keys.goBoard, 'G', 'B'],
      [strings.keys.goSessions, 'G', 'S'],
      [strings.keys.goSettings, 'G', ','],
      [strings.keys.list, '?'],
    ],
  },
  {
    name: strings.keys.onBoard,
    keys: [
      [strings.keys.filter, '/'],
      [strings.keys.focus, '← ↑ ↓ →', 'H J K L'],
      [strings.keys.openCard, '↵'],
      [strings.keys.moveMenu, 'M', 'Space'],
      [strings.keys.moveCard, 'alt ← ↑ ↓ →'],
      [strings.keys.closeSheet, 'Esc'],
    ],
  },
]

export default function KeysWindow() {
  return (
    <Dialog title={strings.keys.heading} onClose={closeWindow} className="w-160">
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
