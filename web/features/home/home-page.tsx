import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { streamIsOpen } from '../../connection.ts'
import { part } from '../../part.tsx'
import { useStore } from '../../store.ts'
import { homeStrings } from '../../strings/home.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useWaiting } from '../approval/waiting.ts'
import { PageHead } from '../shell/page-head.tsx'
import { openWindow } from '../shell/windows.tsx'
import { isTakingFirstSteps } from '../welcome/first-steps.ts'
import { Welcome } from '../welcome/welcome.tsx'
import { homeApi } from './home-api.ts'

const Tracks = part(() => import('../track/tracks-panel.tsx'), TracksMeanwhile)
const Waits = part(() => import('./waits-panel.tsx'))
const Aside = part(() => import('./home-aside.tsx'))

/** What is moving, what waits for me, what went wrong: to be seen in ten seconds. */
export function HomePage() {
  const { data, error } = useQuery({
    queryKey: ['overview'],
    queryFn: async ({ signal }) => {
      await streamIsOpen()
      return homeApi.overview(signal)
    },
  })
  const waiting = useWaiting().data?.total ?? 0
  const words = homeStrings
  const isWelcoming = useStore(isTakingFirstSteps)
  if (isWelcoming || (data?.isNew && waiting === 0))
    return (
      <>
        <PageHead title={strings.rooms.home} />
        <Welcome />
      </>
    )
  return (
    <>
      <PageHead title={strings.rooms.home}>
        <Button look="main" onClick={() => openWindow({ name: 'newTask' })}>
          {strings.board.newTask}
          <Kbd keys="n" className="text-current! max-sm:hidden" />
        </Button>
      </PageHead>
      <div className="min-h-0 grow overflow-y-auto px-5.5 pb-10 max-sm:px-4 max-sm:pb-6">
        <ul className="flex flex-wrap gap-x-7 gap-y-1 pb-4 max-sm:gap-x-4">
          <Figure name="working" amount={data?.working} word={words.working}>
            {data && data.queued > 0 && words.queued(data.queued)}
          </Figure>
          <li data-figure="waits">
            <Link to="/inbox" className={`flex items-baseline gap-2 ${waiting > 0 ? 'text-wait' : ''}`}>
              <b className="text-figure font-semibold tabular-nums max-sm:text-title">{waiting}</b>
              <span className={waiting > 0 ? '' : 'text-mute'}>{words.waits(waiting)}</span>
            </Link>
          </li>
          <Figure name="failed" amount={data?.failed} word={words.failed} isBad />
          <Figure name="succeeded" amount={data?.succeeded} word={words.succeeded}>
            {words.withinADay}
          </Figure>
        </ul>
        {error && !data && (
          <p role="alert" className="pb-4 text-soft">
            {words.unread(error.message)}
          </p>
        )}
        <div className="grid grid-cols-[minmax(0,1fr)_340px] grid-rows-[auto_1fr] items-start gap-4 max-lg:grid-cols-1">
          <div className="col-start-2 max-lg:col-start-1">
            <Waits />
          </div>
          <div className="col-start-1 row-span-2 row-start-1 min-w-0 max-lg:row-auto">
            <Tracks />
          </div>
          <div className="col-start-2 max-lg:col-start-1">
            <Aside />
          </div>
        </div>
      </div>
    </>
  )
}

interface FigureProps {
  name: string
  amount: number | undefined
  word: string
  isBad?: boolean
  children?: string | false | undefined
}

/** A number and what it counts. Its place is there before it is known. */
function Figure({ name, amount, word, isBad = false, children }: FigureProps) {
  return (
    <li data-figure={name} className="flex items-baseline gap-2">
      <b
        className={`min-w-4 text-figure font-semibold tabular-nums max-sm:min-w-2 max-sm:text-title ${isBad && (amount ?? 0) > 0 ? 'text-stop' : ''}`}
      >
        {amount ?? '–'}
      </b>
      <span className="text-mute">
        {word} <span className="max-sm:hidden">{children}</span>
      </span>
    </li>
  )
}

function TracksMeanwhile() {
  return <div className="h-75 rounded-panel border border-line bg-panel" />
}
