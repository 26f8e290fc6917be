import type { Browser } from '#contract/access.ts'
import { owner, sessionKeyLifeMs } from '#domain/access.ts'
import type { Database, Tx } from './pool.ts'

// A browser that is logged in is a session key; whose it is, the token says that it was traded for.
const ofPeople = `
  from tokens key join tokens parent on parent.id = key.parent_id left join users person on person.id = parent.user_id
  where key.kind = 'session' and key.expires_at > now() and parent.kind in ('owner', 'user')
    and ($1::text is null or coalesce(person.id::text, 'owner') = $1)`

const listText = `
  select key.id, key.browser, coalesce(person.id::text, 'owner') as who, coalesce(person.name, $2) as name,
    key.created_at as "createdAt", key.expires_at as "expiresAt" ${ofPeople}
  order by key.expires_at desc, key.id desc limit 500`

type Row = Pick<Browser, 'id' | 'browser' | 'who' | 'name'> & { createdAt: Date; expiresAt: Date }

/** Those used last first. With `who` only theirs; `thisKey` is the one that asks. */
export async function listBrowsers(
  db: Database,
  { who, thisKey }: { who?: string; thisKey: string | null },
): Promise<Browser[]> {
  const { rows } = await db.$client.query<Row>(listText, [who ?? null, owner.name])
  return rows.map(({ createdAt, expiresAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    // It is lengthened at most once a day, when it is used.
    usedAt: new Date(Math.max(createdAt.getTime(), expiresAt.getTime() - sessionKeyLifeMs)).toISOString(),
    isThis: row.id === thisKey,
  }))
}

/** Answers with whose it was, if there was one. With `who` only theirs. */
export async function deleteBrowser(tx: Tx, id: string, who?: string): Promise<string | undefined> {
  const { rows } = await tx.$client.query<{ who: string }>(
    `with found as (select key.id, coalesce(person.id::text, 'owner') as who ${ofPeople} and key.id = $2),
      gone as (delete from tokens where id in (select id from found))
    select who from found`,
    [who ?? null, id],
  )
  return rows[0]?.who
}
