import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AppState, HostHealth } from '#contract/host.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { sendJson, sendRefusal } from './http-answers.ts'
import { isCalledHere } from './loopback-door.ts'
import { listen } from './tool-port.ts'
import type { OpenPort } from './tool-port.ts'

export interface HealthParts {
  /** 0 for a free one. */
  port: number
  health(): HostHealth
  restart(): Promise<AppState>
}

/** `GET /health` of all that runs in here, `POST /restart` for the app. Rejects when the port is taken. */
export async function openHealthPort(parts: HealthParts): Promise<OpenPort> {
  const server = createServer((request, response) => {
    request.resume()
    route(parts, request, response).catch((error: unknown) => sendRefusal(response, error))
  })
  return listen(server, parts.port)
}

async function route(parts: HealthParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isCalledHere(request))
    throw new ToolRefused('host_not_allowed', 'This is for programs in the workspace, by the name localhost')
  const asked = `${request.method} ${request.url?.split('?', 1)[0]}`
  if (asked === 'GET /health') return sendJson(response, 200, parts.health())
  if (asked !== 'POST /restart') throw new ToolRefused('not_found', `There is nothing at ${asked}`)
  if (parts.health().app.state === 'none')
    throw new ToolRefused('no_app', 'This workspace has no app: give it a command and a port')
  sendJson(response, 200, await parts.restart())
}
