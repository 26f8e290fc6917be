import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { FoundProgram } from '../../../src/contract/discovery.ts'
import { discoveryStrings as words } from '../../strings/discovery.ts'
import { toast } from '../../ui/toast.tsx'
import { mostChosen } from './use-found.ts'

export type Chosen = ReadonlyMap<string, FoundProgram>

export interface Choosing {
  chosen: Chosen
  /** One on or off; with `isRange` all from the last one to this one on. */
  choose: (index: number, isRange: boolean) => void
  chooseAll: (programs: readonly FoundProgram[]) => void
  clear: () => void
}

/** Which programs are chosen. They stay so whatever is looked for meanwhile. */
export function useChosen(at: (index: number) => FoundProgram | undefined): Choosing {
  const [chosen, setChosen] = useState<Chosen>(new Map())
  const last = useRef(0)
  const now = useRef({ at, chosen })
  useLayoutEffect(() => {
    now.current = { at, chosen }
  })
  const choose = useCallback((index: number, isRange: boolean) => {
    const { at, chosen } = now.current
    const from = isRange ? last.current : index
    last.current = index
    const [first, end] = from < index ? [from, index] : [index, from]
    const these = Array.from({ length: end - first + 1 }, (_, step) => at(first + step)).filter(
      (program) => program !== undefined,
    )
    const target = at(index)
    const isOn = isRange || (target !== undefined && !chosen.has(target.id))
    const next = new Map(chosen)
    for (const program of these) {
      if (isOn) next.set(program.id, program)
      else next.delete(program.id)
    }
    if (next.size > mostChosen) toast(words.tooMany(mostChosen), { isProblem: true })
    else setChosen(next)
  }, [])
  const chooseAll = useCallback(
    (programs: readonly FoundProgram[]) => setChosen(new Map(programs.map((each) => [each.id, each]))),
    [],
  )
  const clear = useCallback(() => setChosen(new Map()), [])
  return { chosen, choose, chooseAll, clear }
}
