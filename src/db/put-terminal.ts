/** Rings when a terminal serves at another place than before. */
export const TERMINALS_CHANNEL = 'terminals'

/**
 * The terminal of this machine serves here, from now on: its id, the port, how browsers reach it. As plain text, because a process that mostly
 * waits for somebody to come has no need of anything that builds statements.
 */
export const putTerminalText = `
  with put as (
    insert into terminals (machine_id, port, url) values ($1, $2, $3)
    on conflict (machine_id) do update set port = excluded.port, url = excluded.url, started_at = now())
  select pg_notify('${TERMINALS_CHANNEL}', '')`
