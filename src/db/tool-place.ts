import type { WorkspaceState } from '#contract/workspace.ts'
import type { Machine } from './machines.ts'
import type { Database } from './pool.ts'

/** All that is to be known of a session before a tool is called in its workspace. */
export interface ToolPlace {
  createdBy: string
  agentId: string | null
  trashedAt: Date | null
  workspaceId: string | null
  workspaceName: string | null
  workspaceState: WorkspaceState | null
  /** Changes with whatever is said of the workspace, but not by its being used. */
  stamp: string | null
  machine: Machine | null
}

// One statement, because it is asked before every call of a tool.
const text = `
  select s.created_by as "createdBy", s.agent_id as "agentId", s.trashed_at as "trashedAt",
    w.id as "workspaceId", w.name as "workspaceName", w.state as "workspaceState",
    md5((to_jsonb(w) - '{used_at,disk_bytes,disk_measured_at}'::text[])::text) as stamp,
    case when m.id is not null then json_build_object('id', m.id, 'name', m.name, 'url', m.url) end as machine
  from sessions s
  left join agents a on a.id = s.agent_id
  left join workspaces w on w.id = coalesce(s.workspace_id,
    (select e.workspace_id from executions e where e.session_id = s.id order by e.first_seq desc limit 1))
  left join machines m on m.id = coalesce(w.machine_id, a.machine_id)
  where s.id = $1`

export async function findToolPlace(db: Database, sessionId: string): Promise<ToolPlace | undefined> {
  const { rows } = await db.$client.query<ToolPlace>({ name: 'find_tool_place', text, values: [sessionId] })
  return rows[0]
}
