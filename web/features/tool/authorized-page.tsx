import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { session } from '../../session.ts'
import { createStore, useStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'
import { toolStrings as words } from '../../strings/tool.ts'
import { takeWayBack } from '../../way-back.ts'
import { visibleText } from '../approval/visible-text.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { toolApi } from './tool-api.ts'

interface Outcome {
  title: string
  text: string
}

/** Kept outside: what was brought is good for one use, however often this is drawn. */
const outcome = createStore<Outcome | 'asking' | null>(null)

async function comeBack(): Promise<void> {
  const query = takeWayBack()
  if (query === null)
    return outcome.set((now) => now ?? { title: words.notLetIn, text: words.nothingBrought })
  outcome.set('asking')
  try {
    const { name } = await toolApi.comeBack(query)
    const who = session.get()?.principal.name ?? ''
    outcome.set({ title: words.isLetIn(name), text: words.isLetInText(name, who) })
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure)
    outcome.set({ title: words.notLetIn, text: visibleText(why) })
  }
}

/** Where a browser is led on to when an issuer has sent it back: whoever is logged in here says that it was them. */
export default function AuthorizedPage() {
  const told = useStore(outcome)
  useEffect(() => void comeBack(), [])
  return (
    <>
      <PageHead title={words.heading} />
      {told && told !== 'asking' ? (
        <Empty title={told.title} text={told.text}>
          <Link to="/tools" className="underline">
            {words.toTools}
          </Link>
        </Empty>
      ) : (
        <output className="animate-appear-late px-5.5 py-2 text-mute max-sm:px-4">{strings.loading}</output>
      )}
    </>
  )
}
