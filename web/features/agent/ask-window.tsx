import { Link } from '@tanstack/react-router'
import type { Task } from '../../../src/contract/task.ts'
import { askStrings } from '../../strings/ask.ts'
import { strings } from '../../strings/page.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { closeWindow } from '../shell/windows.tsx'
import { AskForm } from './ask-form.tsx'
import { useAskable } from './askable.ts'

interface Props {
  agentId?: string | undefined
  task?: Pick<Task, 'id' | 'title' | 'assigneeAgentId'> | undefined
}

/** Asks an agent for something, in words, for a task or not. */
export default function AskWindow({ agentId, task }: Props) {
  const words = askStrings
  const askable = useAskable()
  const wanted = agentId ?? task?.assigneeAgentId
  return (
    <Dialog title={task ? words.start : words.heading} onClose={closeWindow} className="w-150">
      {!askable && <output className="px-4 pb-4 text-mute">{strings.loading}</output>}
      {askable?.length === 0 && (
        <p className="flex flex-col items-start gap-1 px-4 pb-4">
          {words.noAgents}
          <span className="text-soft">{words.noAgentsText}</span>
          <Link to="/agents" className="underline" onClick={closeWindow}>
            {words.toAgents}
          </Link>
        </p>
      )}
      {askable && askable.length > 0 && (
        <AskForm
          askable={askable}
          first={askable.find(({ agent }) => agent.id === wanted) ?? askable[0]}
          task={task}
        />
      )}
    </Dialog>
  )
}
