import pg from 'pg'

/** Sessions with a turn each that goes on, begun so many minutes ago, and calls of tools in them; written past the product. */
export async function fillTracks(databaseUrl: string, sessions: number, callsEach: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`
    with machine as (
      insert into machines (id, name, worker_id, url, seen_at) values (gen_random_uuid(), 'elsewhere', 'elsewhere', 'unix:elsewhere', now())
      returning id
    ), stream as (
      insert into streams (id, last_seq) select gen_random_uuid(), ${callsEach} from generate_series(1, ${sessions}) returning id
    ), numbered as (
      select id, row_number() over () as number from stream
    ), session as (
      insert into sessions (id, title, created_by, created_at)
      select id, 'Session ' || number, 'owner', now() - interval '25 minutes' from numbered returning id
    ), turn as (
      insert into executions (id, session_id, agent_name, capability_key, machine_id, queue, priority, status, args, created_by, created_at, started_at)
      select gen_random_uuid(), session.id, 'Some agent', 'ask', machine.id, 'coding', 0, 'running', '{}', 'owner',
        now() - interval '25 minutes', now() - interval '24 minutes'
      from session, machine
    )
    insert into events (stream_id, seq, type, payload, at)
    select session.id, call, 'tool-input-available', '{}', now() - interval '24 minutes' + call * (interval '23 minutes' / ${callsEach})
    from session, generate_series(1, ${callsEach}) call`)
  await client.end()
}
