import { useQuery } from '@tanstack/react-query'
import type { Browser } from '../../../src/contract/access.ts'
import { queryClient } from '../../query-client.ts'
import { dropSession } from '../../session.ts'
import { settingsStrings as words } from '../../strings/settings.ts'
import { Button } from '../../ui/button.tsx'
import { ago, dateAndTime } from '../../ui/time.ts'
import { toast } from '../../ui/toast.tsx'
import { browserWords } from './browser-words.ts'
import { Reading } from './reading.tsx'
import { settingsApi } from './settings-api.ts'
import { isGone, told } from './told.ts'

const queryKey = ['browsers']

/** The browsers that are logged in, with a way to log each out. With `who` theirs alone. */
export function Browsers({ who }: { who?: string }) {
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => settingsApi.browsers(signal),
    staleTime: 10_000,
  })
  if (!data) return <Reading error={error} again={refetch} />
  const shown = data.filter((one) => who === undefined || one.who === who)
  if (shown.length === 0) return <p className="py-2 text-soft">{words.noBrowsers}</p>
  return (
    <ul>
      {shown.map((one) => (
        <BrowserRow key={one.id} one={one} hasName={who === undefined} />
      ))}
    </ul>
  )
}

function BrowserRow({ one, hasName }: { one: Browser; hasName: boolean }) {
  const { id, browser, name, createdAt, usedAt, isThis } = one
  const known = browserWords(browser)
  const called = known ? words.browserOn(known.browser, known.system) : (browser ?? words.unknownBrowser)
  const logOut = () =>
    told(async () => {
      await settingsApi.logOutBrowser(id).catch((error: unknown) => {
        if (!isGone(error)) throw error // logged out already is what was wanted
      })
      if (isThis) return dropSession()
      toast(words.loggedOut)
      await queryClient.invalidateQueries({ queryKey })
    })
  return (
    <li data-browser={id} className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <div className="min-w-0 grow">
        <p className="flex gap-2">
          {hasName && <bdi className="font-medium">{name}</bdi>}
          <bdi className="truncate" title={browser ?? undefined}>
            {called}
          </bdi>
          {isThis && <span className="shrink-0 text-mute">{words.thisBrowser}</span>}
        </p>
        <p className="text-small text-mute" title={dateAndTime(createdAt)}>
          {words.browserUsed(ago(createdAt), ago(usedAt))}
        </p>
      </div>
      <Button aria-label={words.logOutOne(called)} onClick={() => void logOut()}>
        {words.logOut}
      </Button>
    </li>
  )
}
