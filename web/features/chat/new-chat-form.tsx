import { useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import { chatStrings } from '../../strings/chat.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Choices } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { closeWindow } from '../shell/windows.tsx'
import { AttachButton, Attached } from './attached.tsx'
import { picturesIn, useAttachments } from './attachments.ts'
import { beginChat } from './begin-chat.ts'
import { ModelPicker } from './model-picker.tsx'
import { WorkspaceChoice } from './workspace-choice.tsx'

export function NewChatForm({ agents }: { agents: readonly [Agent, ...Agent[]] }) {
  const form = useRef<HTMLFormElement>(null)
  const navigate = useNavigate()
  const attachments = useAttachments()
  const [text, setText] = useState('')
  const [agentId, setAgentId] = useState(agents[0].id)
  const [model, setModel] = useState<string | null>(null)
  const [workspaceId, setWorkspaceId] = useState<string | null>(null)
  const [isBeginning, setBeginning] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const agent = agents.find(({ id }) => id === agentId) ?? agents[0]
  const isReady = (text.trim() !== '' || attachments.files.length > 0) && !isBeginning

  const begin = async () => {
    if (!isReady) return
    setBeginning(true)
    setProblem(null)
    try {
      const { files } = attachments
      const { sessionId, problem: notAsked } = await beginChat({ agent, text, files, model, workspaceId })
      if (notAsked !== null) toast(chatStrings.notAsked(notAsked), { isProblem: true })
      closeWindow()
      await navigate({ to: '/sessions/$id', params: { id: sessionId } })
    } catch (error) {
      setProblem(chatStrings.notBegun(error instanceof Error ? error.message : String(error)))
      setBeginning(false)
    }
  }
  return (
    <form
      ref={form}
      data-new-chat
      className="flex min-h-0 flex-col"
      onSubmit={(event) => {
        event.preventDefault()
        void begin()
      }}
    >
      <div className="flex min-h-0 flex-col gap-2 overflow-y-auto px-4 pb-3">
        <textarea
          dir="auto"
          rows={5}
          value={text}
          maxLength={1_000_000}
          aria-label={chatStrings.first}
          placeholder={chatStrings.firstHint}
          className="max-h-[40dvh] min-h-28 shrink-0 resize-none bg-transparent field-sizing-content outline-none max-sm:text-[16px]"
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            const pictures = picturesIn(event.clipboardData)
            if (pictures.length > 0) event.preventDefault()
            attachments.add(pictures)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit()
          }}
        />
        <div className="-mx-3">
          <Attached attachments={attachments} />
        </div>
        {problem && (
          <p role="alert" className="wrap-anywhere text-stop">
            {problem}
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
        <ModelPicker
          value={model}
          onChoose={setModel}
          machineId={agent.machineId}
          shown={agent.model ?? undefined}
        />
        {agents.length > 1 && (
          <Choices
            label={chatStrings.agent}
            value={agent.id}
            choices={agents.map(({ id, name }) => ({ value: id, label: <bdi>{name}</bdi> }))}
            onChoose={setAgentId}
          >
            <Button>
              <bdi>{agent.name}</bdi>
              <ChevronDown size={14} className="text-mute" aria-hidden />
            </Button>
          </Choices>
        )}
        <WorkspaceChoice machineId={agent.machineId} value={workspaceId} onChoose={setWorkspaceId} />
        <AttachButton attachments={attachments} />
        <Button look="main" type="submit" className="ms-auto" disabled={!isReady}>
          {isBeginning ? chatStrings.beginning : chatStrings.begin}
          <Kbd keys="mod ↵" className="text-current! max-sm:hidden" />
        </Button>
      </div>
    </form>
  )
}
