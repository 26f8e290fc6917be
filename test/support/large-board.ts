import pg from 'pg'
import { spread } from '#domain/position.ts'
import { newId } from '#lib/id.ts'

/** Puts so many cards into the column To do, in one statement. */
export async function fillBoard(databaseUrl: string, cards: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const positions = spread(cards)
  await client.query(
    `insert into tasks (id, title, description, status, priority, position, depth, created_by)
     select id, 'Task ' || number, '', 'todo', 'medium', position, 0, 'owner'
     from unnest($1::uuid[], $2::text[]) with ordinality as new (id, position, number)`,
    [positions.map(newId), positions],
  )
  await client.end()
}
