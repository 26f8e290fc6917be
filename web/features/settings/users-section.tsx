import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedUser, User } from '../../../src/contract/access.ts'
import { queryClient } from '../../query-client.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { userStrings as words } from '../../strings/user.ts'
import { Button } from '../../ui/button.tsx'
import { Browsers } from './browsers.tsx'
import { Group } from './group.tsx'
import { Reading } from './reading.tsx'
import { settingsApi } from './settings-api.ts'
import { TokenOnce } from './token-once.tsx'
import { UserForm } from './user-form.tsx'
import { UserRow } from './user-row.tsx'

/** Who else may come in: with what, from where, and how to end it. */
export default function UsersSection() {
  const { data, error, refetch } = useQuery({
    queryKey: ['users'],
    queryFn: ({ signal }) => settingsApi.users(signal),
    staleTime: 10_000,
  })
  const [form, setForm] = useState<{ user?: User } | null>(null)
  const [made, setMade] = useState<CreatedUser | null>(null)
  const reread = () =>
    Promise.all(['users', 'browsers'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })))
  return (
    <>
      <Group
        title={words.list}
        aside={
          <Button look="main" onClick={() => setForm({})}>
            {words.add}
          </Button>
        }
      >
        {!data && <Reading error={error} again={refetch} />}
        {data?.length === 0 && <p className="max-w-160 py-2 text-soft">{words.none}</p>}
        <ul>
          {data?.map((user) => (
            <UserRow
              key={user.id}
              user={user}
              onEdit={() => setForm({ user })}
              onToken={setMade}
              onChanged={reread}
            />
          ))}
        </ul>
      </Group>
      <Group title={settingsStrings.allBrowsers}>
        <Browsers />
      </Group>
      {form && (
        <UserForm
          user={form.user}
          onClose={() => setForm(null)}
          onSaved={async (token) => {
            if (token) setMade(token)
            await reread()
          }}
        />
      )}
      {made && <TokenOnce made={made} onClose={() => setMade(null)} />}
    </>
  )
}
