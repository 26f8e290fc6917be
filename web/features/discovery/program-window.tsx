import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DescribedProgram, FoundProgram } from '../../../src/contract/discovery.ts'
import { discoveryStrings } from '../../strings/discovery.ts'
import { queryClient } from '../../query-client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { visibleText } from '../approval/visible-text.ts'
import { confirmFound, hideFound } from './decide.ts'
import { discoveryApi } from './discovery-api.ts'
import { ProgramCommands } from './program-commands.tsx'
import { ProgramFacts } from './program-facts.tsx'
import { foundKey } from './use-found.ts'

const words = discoveryStrings.program

interface Props {
  /** As it stands in the list; what it can be asked for may have to be found out first. */
  program: FoundProgram
  /** The name of the one that it is on, where there are several. */
  machine: string | undefined
  onClose: () => void
  onRun: (agentId: string) => void
}

/** One program: what it is, what it can be asked for and by whom that is told, and what becomes of it. */
export function ProgramWindow({ program, machine, onClose, onRun }: Props) {
  const { id } = program
  const { data, error } = useQuery({
    queryKey: [...foundKey, id],
    queryFn: ({ signal }) => discoveryApi.program(id, signal),
  })
  const known = data ?? program
  return (
    <Dialog title={visibleText(known.name)} onClose={onClose} className="w-170">
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 pb-4">
        <ProgramFacts program={known} machine={machine} />
        {data && <Asked program={data} />}
        {!data && !error && <Looking />}
        {!data && error && <p className="wrap-anywhere text-stop">{words.unread(error.message)}</p>}
      </div>
      <Decision program={known} onClose={onClose} onRun={onRun} />
    </Dialog>
  )
}

const tellAfterMs = 3_000

/** Mostly it is there at once; whoever has to wait is told for what, and for how long at most. */
function Looking() {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), tellAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <section aria-label={words.what}>
      <h3 className="font-semibold">{words.what}</h3>
      <output className="block min-h-12 py-2 text-mute">
        {words.looking}
        {isLong && <span className="block text-small">{words.lookingLong}</span>}
      </output>
    </section>
  )
}

function Asked({ program }: { program: DescribedProgram }) {
  const [asking, setAsking] = useState<'again' | 'model' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { id, schema, schemaTrouble } = program
  const ask = async (way: 'again' | 'model') => {
    setAsking(way)
    setProblem(null)
    try {
      queryClient.setQueryData([...foundKey, id], await discoveryApi.describe(id, way === 'model'))
    } catch (failure) {
      setProblem(words.notAsked(failure instanceof Error ? failure.message : String(failure)))
    } finally {
      setAsking(null)
    }
  }
  return (
    <section aria-label={words.what}>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="font-semibold">{words.what}</h3>
        {schema && (
          <span className="text-small text-mute" data-known-from={schema.source}>
            {words.knownFrom[schema.source]}
          </span>
        )}
        <span className="ms-auto flex gap-1">
          <Button look="quiet" disabled={asking !== null} onClick={() => void ask('again')}>
            {asking === 'again' ? words.asking : words.again}
          </Button>
          <Button
            look="quiet"
            title={words.modelHint}
            disabled={asking !== null}
            onClick={() => void ask('model')}
          >
            {asking === 'model' ? words.asking : words.askModel}
          </Button>
        </span>
      </div>
      {problem && (
        <p role="alert" className="py-1 wrap-anywhere text-stop">
          {problem}
        </p>
      )}
      {!schema && <p className="pt-2 text-soft">{words.unknown}</p>}
      {schemaTrouble && (
        <p className="pb-2 text-small wrap-anywhere text-mute" data-trouble>
          {visibleText(schemaTrouble)}
        </p>
      )}
      {schema && <ProgramCommands name={program.name} schema={schema} />}
    </section>
  )
}

function Decision({ program, onClose, onRun }: Omit<Props, 'machine'>) {
  const [isBusy, setBusy] = useState(false)
  const { state, agentId, goneAt } = program
  const canRun = state === 'confirmed' && agentId !== null && goneAt === null
  const act = async (work: () => Promise<boolean>, ends: boolean) => {
    setBusy(true)
    const isDone = await work()
    setBusy(false)
    if (isDone && ends) onClose()
  }
  if (state === 'confirmed' && !canRun) return null
  return (
    <div className="flex items-center gap-2 border-t border-line px-4 py-3">
      {state === 'found' && (
        <Button disabled={isBusy} onClick={() => void act(() => hideFound([program], true), true)}>
          {discoveryStrings.hide}
        </Button>
      )}
      {state === 'hidden' && (
        <Button disabled={isBusy} onClick={() => void act(() => hideFound([program], false), false)}>
          {discoveryStrings.show}
        </Button>
      )}
      {state !== 'confirmed' && !goneAt && (
        <Button
          look="main"
          className="ms-auto"
          disabled={isBusy}
          onClick={() => void act(() => confirmFound([program]), false)}
        >
          {isBusy ? discoveryStrings.confirming : discoveryStrings.confirm}
        </Button>
      )}
      {canRun && (
        <Button
          look="main"
          className="ms-auto"
          onClick={() => {
            onClose()
            onRun(agentId)
          }}
        >
          {words.run}
        </Button>
      )}
    </div>
  )
}
