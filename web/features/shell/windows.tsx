import { lazy, Suspense } from 'react'
import type { CreateTask } from '../../../src/contract/task.ts'
import { createStore, useStore } from '../../store.ts'

type Window =
  | { name: 'palette' }
  | { name: 'keys' }
  | { name: 'newTask'; start?: Partial<Pick<CreateTask, 'title' | 'status' | 'parentTaskId'>> }

const open = createStore<Window | null>(null)

export const openWindow = (window: Window) => open.set(window)
export const closeWindow = () => open.set(null)

const Palette = lazy(() => import('./palette.tsx'))
const KeysWindow = lazy(() => import('./keys-window.tsx'))
const NewTask = lazy(() => import('../task/new-task.tsx'))

/** At most one window is open over the page. Each is fetched when it is first needed. */
export function Windows() {
  const window = useStore(open)
  return (
    <Suspense>
      {window?.name === 'palette' && <Palette />}
      {window?.name === 'keys' && <KeysWindow />}
      {window?.name === 'newTask' && <NewTask start={window.start ?? {}} />}
    </Suspense>
  )
}
