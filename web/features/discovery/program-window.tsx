import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DescribedProgram } from '../../../src/contract/discovery.ts'
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
  id: string
  onClose: () => void
  onRun: (agentId: string) => void
}

/** One program: what it is, what it can be asked for and by whom that is told, and what becomes of it. */
export function ProgramWindow({ id, onClose, onRun }: Props) {
  const { data, error } = useQuery({
    queryKey: [...foundKey, id],
    queryFn: ({ signal }) => discoveryApi.program(id, signal),
  })
  return (
    <Dialog title={data ? visibleText(data.name) : words.what} onClose={onClose} className="w-170">
      {!data && !error && <output className="px-4 pb-4 text-mute">{words.looking}</output>}
      {!data && error && <p className="px-4 pb-4 wrap-anywhere text-stop">{words.unread(error.message)}</p>}
      {data && (
        <>
          <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 pb-4">
            <ProgramFacts program={data} />
            <Asked program={data} />
          </div>
          <Decision program={data} onClose={onClose} onRun={onRun} />
        </>
      )}
    </Dialog>
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
      {!schema && (
        <p className="py-2 text-soft">
          {words.unknown}
          {schemaTrouble && (
            <span className="block text-small wrap-anywhere text-mute">{visibleText(schemaTrouble)}</span>
          )}
        </p>
      )}
      {schema && <ProgramCommands name={program.name} schema={schema} />}
    </section>
  )
}

function Decision({ program, onClose, onRun }: Omit<Props, 'id'> & { program: DescribedProgram }) {
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
