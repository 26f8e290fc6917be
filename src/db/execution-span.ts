/** From when an execution was asked for until it ended, as the index `executions_span` has it. */
export const executionSpan = `tstzrange(e.created_at, case when e.ended_at is null then null else greatest(e.created_at, e.ended_at) end, '[]')`
