import type { CreateTask, Task } from '../../../src/contract/task.ts'
import { part } from '../../part.tsx'
import { createStore, useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { holdKeys } from './hold-keys.ts'

type Window =
  | { name: 'palette' }
  | { name: 'keys' }
  | { name: 'ask'; agentId?: string; task?: Pick<Task, 'id' | 'title' | 'assigneeAgentId'> }
  | { name: 'newChat'; agentId?: string }
  | { name: 'newTask'; start?: Partial<Pick<CreateTask, 'title' | 'status' | 'parentTaskId'>> }

const open = createStore<(Window & { key: number }) | null>(null)
let opened = 0
let letGoOfKeys = () => {}

export function openWindow(window: Window): void {
  letGoOfKeys()
  letGoOfKeys = holdKeys(closeWindow)
  opened += 1
  open.set({ ...window, key: opened })
}
export function closeWindow(): void {
  letGoOfKeys()
  open.set(null)
}

const Palette = part(() => import('./palette.tsx'), OnItsWay)
const KeysWindow = part(() => import('./keys-window.tsx'), OnItsWay)
const AskWindow = part(() => import('../agent/ask-window.tsx'), OnItsWay)
const NewChat = part(() => import('../chat/new-chat.tsx'), OnItsWay)
const NewTask = part(() => import('../task/new-task.tsx'), OnItsWay)

/** At most one window is open over the page. */
export function Windows() {
  const window = useStore(open)
  return (
    <>
      {window?.name === 'palette' && <Palette key={window.key} />}
      {window?.name === 'keys' && <KeysWindow key={window.key} />}
      {window?.name === 'ask' && <AskWindow key={window.key} agentId={window.agentId} task={window.task} />}
      {window?.name === 'newChat' && <NewChat key={window.key} agentId={window.agentId} />}
      {window?.name === 'newTask' && <NewTask key={window.key} start={window.start ?? {}} />}
    </>
  )
}

function OnItsWay() {
  return (
    <div className="fixed inset-0 z-40 animate-appear-late bg-veil">
      <div className="mx-auto mt-[12dvh] flex w-75 max-w-[calc(100vw-24px)] items-center justify-between rounded-panel border border-edge bg-panel px-4 py-3 shadow-float">
        <output>{strings.loading}</output>
        <Button onClick={closeWindow}>{strings.cancel}</Button>
      </div>
    </div>
  )
}
