import { useState } from 'react'
import type { ScanProgress } from '../../../src/contract/discovery.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { confirmFound, hideFound } from './decide.ts'
import type { FoundFilter } from './found-filter.ts'
import { ScanState } from './scan-state.tsx'
import type { Choosing } from './use-chosen.ts'
import { mostChosen, readToChoose } from './use-found.ts'

interface Props {
  total: number | undefined
  progress: ScanProgress | null
  choosing: Choosing
  filter: FoundFilter
}

/** How many there are and how the scan goes; while some are chosen, what can be done with them. Always one line. */
export function StatusLine({ total, progress, choosing, filter }: Props) {
  const { chosen } = choosing
  return (
    <div className="flex h-9 items-center gap-3 text-small max-sm:h-12">
      {chosen.size > 0 ? (
        <WithChosen choosing={choosing} />
      ) : (
        <>
          <output className="shrink-0 text-soft tabular-nums" data-found-total={total}>
            {total === undefined ? words.reading : words.total(total)}
          </output>
          {progress && <ScanState progress={progress} />}
          {total ? <ChooseAll choosing={choosing} filter={filter} /> : null}
        </>
      )}
    </div>
  )
}

function ChooseAll({ choosing, filter }: Pick<Props, 'choosing' | 'filter'>) {
  const [isReading, setReading] = useState(false)
  const chooseAll = async () => {
    setReading(true)
    try {
      const { data, meta } = await readToChoose(filter)
      choosing.chooseAll(data)
      if (meta.total > mostChosen) toast(words.selectedAll(mostChosen))
    } catch (error) {
      toast(words.notDone(error instanceof Error ? error.message : String(error)), { isProblem: true })
    } finally {
      setReading(false)
    }
  }
  return (
    <Button look="quiet" className="ms-auto -me-2.5" disabled={isReading} onClick={() => void chooseAll()}>
      {words.selectAll}
    </Button>
  )
}

function WithChosen({ choosing: { chosen, clear } }: Pick<Props, 'choosing'>) {
  const [isBusy, setBusy] = useState(false)
  const programs = [...chosen.values()]
  const toConfirm = programs.filter(({ state, goneAt }) => state !== 'confirmed' && !goneAt)
  const toHide = programs.filter(({ state }) => state === 'found')
  const toShow = programs.filter(({ state }) => state === 'hidden')
  const act = async (work: () => Promise<boolean>) => {
    setBusy(true)
    if (await work()) clear()
    setBusy(false)
  }
  return (
    <>
      <output className="shrink-0 tabular-nums" data-chosen={chosen.size}>
        {words.selected(chosen.size)}
      </output>
      <Button
        look="main"
        disabled={isBusy || toConfirm.length === 0}
        onClick={() => void act(() => confirmFound(toConfirm))}
      >
        {isBusy ? words.confirming : words.confirm}
      </Button>
      {toHide.length > 0 && (
        <Button disabled={isBusy} onClick={() => void act(() => hideFound(toHide, true))}>
          {words.hide}
        </Button>
      )}
      {toShow.length > 0 && (
        <Button disabled={isBusy} onClick={() => void act(() => hideFound(toShow, false))}>
          {words.show}
        </Button>
      )}
      <Button look="quiet" className="ms-auto -me-2.5" onClick={clear}>
        {words.clear}
      </Button>
    </>
  )
}
