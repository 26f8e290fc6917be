import pg from 'pg'

/** Something that is said in a session, as it stands in the log. */
export type Said = [type: string, payload: object]

/** Appends so many events to a session in one statement: fifty thousand take about a second. */
export async function fillTranscript(
  databaseUrl: string,
  { sessionId, id }: { sessionId: string; id: string },
  said: readonly Said[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    `with counted as (
       update streams set last_seq = last_seq + cardinality($3::text[]), last_at = now()
       where id = $1 returning last_seq - cardinality($3::text[]) as base
     )
     insert into events (stream_id, seq, type, payload, execution_id)
     select $1, base + place, type, payload, $2
     from counted, unnest($3::text[], $4::json[]) with ordinality as new (type, payload, place)`,
    [sessionId, id, said.map(([type]) => type), said.map(([, payload]) => JSON.stringify(payload))],
  )
  await client.end()
}

/** What an agent says that works for a long time: thoughts, texts in pieces, and calls of tools, ten events a step. */
export function longWork(events: number): Said[] {
  return Array.from({ length: events / 10 }, (_, step): Said[] => {
    const toolCallId = `call-${step}`
    const [text, thought] = [{ id: `said-${step}` }, { id: `thought-${step}` }]
    return [
      ['reasoning-start', thought],
      ['reasoning-delta', { ...thought, delta: `Step ${step} needs a look at **signal ${step % 40}**.` }],
      ['reasoning-end', thought],
      ['text-start', text],
      ['text-delta', { ...text, delta: `Step ${step}: reading \`src/signal-${step % 40}.ts\` ` }],
      ['text-delta', { ...text, delta: 'and writing down what is there.\n\n- one\n- two\n' }],
      ['text-end', text],
      ['tool-input-start', { toolCallId, toolName: 'read' }],
      [
        'tool-input-available',
        { toolCallId, toolName: 'read', input: { path: `src/signal-${step % 40}.ts` } },
      ],
      ['tool-output-available', { toolCallId, output: `export const signal = ${step}\n`.repeat(20) }],
    ]
  }).flat()
}
