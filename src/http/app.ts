import { HTTPException } from 'hono/http-exception'
import { isDatabaseAway } from '#db/failure.ts'
import { Problem } from '#domain/problem.ts'
import { aboutRoutes } from './about.ts'
import { agentDoor } from './agent-door.ts'
import { agentsRoutes } from './agents.ts'
import { approvalsRoutes } from './approvals.ts'
import { auditRoutes } from './audit.ts'
import { authRoutes, loginRoutes } from './auth-session.ts'
import { authenticate, authenticateByTicket } from './auth.ts'
import { boardStreamRoutes } from './board-stream.ts'
import { discoveryRoutes } from './discovery.ts'
import { executeRoutes } from './execute.ts'
import { executionLogsRoutes } from './execution-logs.ts'
import { capabilitiesRoutes } from './capabilities.ts'
import { executionsRoutes } from './executions.ts'
import { guards } from './guards.ts'
import { healthRoutes } from './health.ts'
import { machineWorkspacesRoutes } from './machine-workspaces.ts'
import { mcpRoutes } from './mcp.ts'
import { metricsRoutes } from './metrics.ts'
import { modelsRoutes } from './models.ts'
import { openApiDocument } from './openapi.ts'
import { overviewRoutes } from './overview.ts'
import { statusOf } from './problems.ts'
import { jsonBody, singleQueryParameters } from './request-body.ts'
import { named } from './request-id.ts'
import { policiesRoutes } from './policies.ts'
import { previewsRoutes } from './previews.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'
import { sessionControlRoutes } from './session-control.ts'
import { sessionToolsRoutes } from './session-tools.ts'
import { sessionVerbsRoutes } from './session-verbs.ts'
import { sessionChatRoutes } from './session-chat.ts'
import { sessionsRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { callbackRoutes, sourceAuthorizationRoutes } from './source-authorization.ts'
import { spawnRoutes } from './spawn.ts'
import { spendRoutes } from './spend.ts'
import { sourcesRoutes } from './sources.ts'
import { tasksRoutes } from './tasks.ts'
import { terminalRoutes } from './terminal.ts'
import { toolsRoutes } from './tools.ts'
import { tracksRoutes } from './tracks.ts'
import { userInterface } from './user-interface.ts'
import { usersRoutes } from './users.ts'
import { workersRoutes } from './workers.ts'
import { workspaceVerbsRoutes } from './workspace-verbs.ts'
import { workspacesRoutes } from './workspaces.ts'

/** The whole HTTP side of Signalbox, in the order in which a request passes its doors. */
export function buildApp(parts: Parts) {
  const app = newRoom()
  app.use(named(parts))
  app.use(guards(parts))
  app.onError((error, c) => {
    const requestId = c.get('requestId')
    const problem = asProblem(error)
    if (!problem) {
      c.get('log').error({ err: error }, 'a request failed on our side')
      const message = `Something went wrong on our side. The log has it under request ${requestId}`
      return c.json({ error: { code: 'internal', message, requestId } }, 500)
    }
    const { code, message, context } = problem
    const status = statusOf[code]
    if (status === 401) c.header('WWW-Authenticate', 'Bearer')
    if (status === 503) c.header('Retry-After', '1')
    if (typeof context?.['retryAfterSec'] === 'number')
      c.header('Retry-After', String(context['retryAfterSec']))
    return c.json({ error: { code, message, ...(context && { context }), requestId } }, status)
  })
  app.notFound((c) => {
    throw new Problem('not_found', `There is nothing at ${c.req.method} ${c.req.path}`)
  })

  const api = newRoom()
  api.route('/', healthRoutes(parts))
  api.route('/', loginRoutes(parts))
  api.route('/', callbackRoutes(parts))
  for (const stream of [
    '/sse/*',
    '/discovery/stream',
    '/executions/:id/logs/stream',
    '/sessions/:id/stream',
    '/execute/ws',
  ])
    api.use(stream, authenticateByTicket(parts))
  api.use(authenticate(parts))
  api.use(agentDoor)
  api.use(jsonBody(mostOf))
  api.use(singleQueryParameters)
  for (const routes of [
    aboutRoutes,
    auditRoutes,
    authRoutes,
    tasksRoutes,
    spawnRoutes,
    agentsRoutes,
    capabilitiesRoutes,
    discoveryRoutes,
    executionsRoutes,
    executeRoutes,
    modelsRoutes,
    approvalsRoutes,
    overviewRoutes,
    policiesRoutes,
    previewsRoutes,
    workersRoutes,
    boardStreamRoutes,
    executionLogsRoutes,
    sessionChatRoutes,
    sessionControlRoutes,
    sessionToolsRoutes,
    sessionVerbsRoutes,
    sessionsRoutes,
    settingsRoutes,
    sourceAuthorizationRoutes,
    sourcesRoutes,
    spendRoutes,
    terminalRoutes,
    toolsRoutes,
    tracksRoutes,
    usersRoutes,
    machineWorkspacesRoutes,
    workspacesRoutes,
    workspaceVerbsRoutes,
  ])
    api.route('/', routes(parts))
  let document: ReturnType<typeof openApiDocument> | undefined
  api.get('/openapi.json', (c) => c.json((document ??= openApiDocument(api, parts.version))))

  app.route('/', metricsRoutes(parts))
  app.route('/', mcpRoutes(parts))
  app.route('/api/v1', api)
  app.route('/api', api)
  app.route('/', userInterface())
  return app
}

// A chat client sends all that was ever said, with every file; a message may bring files along.
const takesFiles = /\/sessions\/[^/]+\/chat$|\/executions(?:\/[^/]+\/messages)?$/
const mostOfChat = 32 * 1024 * 1024
// Whole files are written by tools.
const isTool = /\/sessions\/[^/]+\/tools\/[^/]+$/
const mostOfTools = 50 * 1024 * 1024

// With a source a whole OpenAPI document may come.
const isSource = /\/mcp\/add$/
const mostOfSources = 16 * 1024 * 1024

// Code, and what it is given to work on.
const isCode = /\/execute(?:\/check)?$/
const mostOfCode = 4 * 1024 * 1024

function mostOf(path: string): number | undefined {
  if (isCode.test(path)) return mostOfCode
  if (isSource.test(path)) return mostOfSources
  if (isTool.test(path)) return mostOfTools
  return takesFiles.test(path) ? mostOfChat : undefined
}

const reason = 'must be application/json, with a JSON body'
const noBody = new Problem('does_not_fit', `The header does not fit: Content-Type: ${reason}`, {
  in: 'header',
  fields: [{ field: 'Content-Type', reason }],
})

function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (error instanceof HTTPException && error.status === 400) return new Problem('bad_json', error.message)
  if (error instanceof HTTPException && error.status === 415) return noBody
  if (isDatabaseAway(error))
    return new Problem(
      'database_unavailable',
      'The database is away or busy for the moment. Nothing you were told is saved is lost; try again.',
    )
  return undefined
}
