import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../api.ts'
import { part } from '../../part.tsx'
import { roomApi } from '../../room-api.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { welcomeStrings as words } from '../../strings/welcome.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { openWindow } from '../shell/windows.tsx'
import { AgentChoice } from './agent-choice.tsx'
import { beginFirst } from './begin-first.ts'
import type { Begun } from './begin-first.ts'
import { isTakingFirstSteps } from './first-steps.ts'
import { FolderChoice } from './folder-choice.tsx'
import { isReady, usualChoice } from './ready-agents.ts'
import { Step } from './step.tsx'

const FirstRun = part(() => import('./first-run.tsx'))

/** From nothing to a task that an agent works on: who, where, what. */
export default function WelcomeSteps() {
  const isOwner = useStore(session, (key) => key?.principal.kind === 'owner')
  const [begun, setBegun] = useState<Begun | null>(null)
  useEffect(() => () => isTakingFirstSteps.set(false), [])
  if (!isOwner)
    return (
      <Empty title={words.forUsers} text={words.forUsersText}>
        <Button look="main" onClick={() => openWindow({ name: 'newTask' })}>
          {strings.board.newTask}
        </Button>
      </Empty>
    )
  return (
    <div className="min-h-0 grow overflow-y-auto px-5.5 pb-20 max-sm:px-4">
      <div className="mx-auto flex w-170 max-w-full flex-col gap-6 pt-2">
        <header>
          <h2 className="text-title font-semibold">{words.title}</h2>
          <p className="pt-1 text-soft">{words.text}</p>
        </header>
        {begun ? <FirstRun begun={begun} onAgain={() => setBegun(null)} /> : <Choose onBegun={setBegun} />}
      </div>
    </div>
  )
}

function Choose({ onBegun }: { onBegun: (begun: Begun) => void }) {
  const presets = useQuery({
    queryKey: ['presets'],
    queryFn: ({ signal }) => roomApi.presets(signal),
    staleTime: 0,
  })
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) }).data
  const [chosen, setChosen] = useState<string>()
  const [folder, setFolder] = useState<string | null>(null)
  const [text, setText] = useState<string | null>(null)
  const [isStarting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const preset = presets.data?.find(({ key }) => key === chosen) ?? usualChoice(presets.data ?? [])
  const isDemo = preset?.key === 'demo'
  const title = text ?? (isDemo ? words.demoTask : words.firstTask)
  const mayStart =
    preset && isReady(preset) && folder !== null && title.trim() !== '' && agents && !isStarting

  const start = async () => {
    if (!mayStart) return
    setStarting(true)
    setProblem(null)
    isTakingFirstSteps.set(true)
    try {
      onBegun(await beginFirst({ preset, agents, folder, title: title.trim() }))
    } catch (error) {
      setProblem(words.notStarted(error instanceof Error ? error.message : String(error)))
      setStarting(false)
    }
  }
  return (
    <form
      className="flex flex-col gap-6"
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <Step number={1} title={words.who}>
        <AgentChoice presets={presets} chosen={preset?.key} onChoose={setChosen} />
      </Step>
      <Step number={2} title={words.where}>
        <FolderChoice machineId={preset?.machineId} value={folder} onChoose={setFolder} />
      </Step>
      <Step number={3} title={words.what}>
        <textarea
          dir="auto"
          rows={2}
          required
          maxLength={500}
          value={title}
          aria-label={words.whatHint}
          placeholder={words.whatHint}
          className="w-full resize-none rounded-control border border-control bg-panel px-2.5 py-2 field-sizing-content max-sm:text-[16px]"
          onChange={(event) => setText(event.target.value.replaceAll('\n', ' '))}
        />
        <p className={`text-small text-mute ${isDemo ? '' : 'invisible'}`}>{words.demoNote}</p>
        {problem && (
          <p role="alert" className="wrap-anywhere text-stop">
            {problem}
          </p>
        )}
        <div className="flex items-center gap-3 pt-2">
          <Button look="main" type="submit" disabled={!mayStart} className="h-9 px-5 max-sm:h-12 max-sm:grow">
            {isStarting ? words.starting : isDemo ? words.startDemo : words.start}
          </Button>
          {preset && !isReady(preset) && <span className="text-small text-soft">{words.noneChosen}</span>}
        </div>
      </Step>
    </form>
  )
}
