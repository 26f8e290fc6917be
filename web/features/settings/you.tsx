import { roomApi } from '../../room-api.ts'
import { dropSession, session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { settingsStrings as words } from '../../strings/settings.ts'
import { userStrings } from '../../strings/user.ts'
import { Button } from '../../ui/button.tsx'
import { dateAndTime } from '../../ui/time.ts'
import { Browsers } from './browsers.tsx'
import { Group } from './group.tsx'

export function You() {
  const key = useStore(session)
  if (!key) return null
  const { principal, expiresAt } = key
  return (
    <>
      <div className="mb-8 flex flex-col items-start gap-3">
        <p>
          <bdi className="font-semibold">{principal.name}</bdi>
          <span className="block text-soft">{words.kind[principal.kind]}</span>
        </p>
        <p className="text-soft">
          {words.scopes}: {principal.scopes.map((scope) => userStrings.scope[scope]).join(', ')}
        </p>
        <p className="text-small text-mute">{words.until(dateAndTime(expiresAt))}</p>
        <Button
          onClick={() => {
            // The key is forgotten here in any case; that the server forgets it too is the better half of it.
            void roomApi.logOut().catch(() => {})
            dropSession()
          }}
        >
          {words.logOut}
        </Button>
      </div>
      <Group title={words.browsers}>
        <Browsers who={principal.id} />
      </Group>
    </>
  )
}
