import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { Principal } from '#contract/access.ts'
import { findPreview } from '#db/previews.ts'
import type { OpenPreview } from '#db/previews.ts'
import type { DatabasePool } from '#db/pool.ts'
import { previewedPort } from '#domain/preview.ts'
import { Problem } from '#domain/problem.ts'
import { openPreview } from '#flows/open-preview.ts'
import { hashSecret } from '#lib/secret.ts'
import type { Doorkeeper } from './doorkeeper.ts'
import { failurePage } from './preview-failures.ts'
import { previewCookie, previewKeys } from './preview-headers.ts'
import { previewAddress } from './preview-host.ts'
import type { PreviewAddress } from './preview-host.ts'
import { notFromHere, notOpened, notShown, notUnderstood, sendPage } from './preview-pages.ts'
import { openPreviewProxy } from './preview-proxy.ts'
import type { Passage } from './preview-proxy.ts'
import { responseOn } from './response-on.ts'

/** The apps of workspaces, each under a name of its own. Stands before everything else that web does. */
export interface Previews {
  /** Whether a request is for an app, whatever its path. */
  takes(request: IncomingMessage): boolean
  answer(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
}

interface Needs {
  pool: DatabasePool
  doorkeeper: Pick<Doorkeeper, 'admit'>
  log: Logger
}

type Admitted = Passage & { principal: Principal }

export const ticketParameter = 'signalbox_ticket'

export function openPreviews({ pool, doorkeeper, log }: Needs): Previews {
  const proxy = openPreviewProxy(pool.db)
  const upgraded = new Set<Duplex>()

  /** Whoever has a key for exactly this place, and where it leads. Nothing when a page was sent instead. */
  async function admit(
    address: PreviewAddress,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Admitted | undefined> {
    const ticket = request.method === 'GET' ? ticketIn(request) : undefined
    if (ticket !== undefined && (await trade(address, ticket, request, response))) return undefined
    const opened = await find(address, request)
    const port = opened && previewedPort(opened, address.port)
    if (!opened || port === undefined) {
      sendPage(response, opened ? notShown : notOpened)
      return undefined
    }
    const { machine, principal } = opened
    const end = { machine, workspaceId: address.workspaceId, port }
    return { end, principal, isOurToken: await isOurs(request.headers.authorization) }
  }

  async function find(address: PreviewAddress, request: IncomingMessage): Promise<OpenPreview | undefined> {
    for (const key of previewKeys(request)) {
      const found = await findPreview(pool.db, hashSecret(key), address)
      if (found) return found
    }
    return undefined
  }

  /** The address without the ticket is where the browser goes on; with the key, if the ticket was good. */
  async function trade(
    address: PreviewAddress,
    ticket: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<boolean> {
    const opened = await pool.transaction((tx) => openPreview(tx, ticket, address))
    if (!opened && !(await find(address, request))) return false
    const attributes = `Path=/; HttpOnly; SameSite=Lax; Expires=${opened?.expiresAt.toUTCString()}`
    response.writeHead(303, {
      location: withoutTicket(request),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      ...(opened && { 'set-cookie': `${previewCookie}=${opened.key}; ${attributes}` }),
    })
    response.end()
    return true
  }

  async function isOurs(authorization: string | undefined): Promise<boolean> {
    const token = /^Bearer +(\S+)/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return false
    return doorkeeper.admit(token).then(
      () => true,
      // One that cannot be looked at now may be ours.
      (error: unknown) => !(error instanceof Problem && error.code === 'unauthenticated'),
    )
  }

  const failed = (response: ServerResponse, error: unknown, principal?: Principal) => {
    const page = failurePage(error, principal)
    if (page.status === 500) log.error({ err: error }, 'a preview failed on our side')
    sendPage(response, page)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = previewAddress(request)
    if (!address || !request.url?.startsWith('/')) return sendPage(response, notUnderstood)
    const admitted = await admit(address, request, response)
    if (admitted)
      proxy.pass(request, response, admitted, (error) => failed(response, error, admitted.principal))
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, response: ServerResponse) {
    const address = previewAddress(request)
    if (!address || !request.url?.startsWith('/')) return sendPage(response, notUnderstood)
    // A browser sends cookies along with a socket that any page opens; it says which page that is.
    const { origin } = request.headers
    if (origin !== undefined && origin !== `http://${address.host}`) return sendPage(response, notFromHere)
    const admitted = await admit(address, request, response)
    if (admitted)
      proxy.upgrade(request, socket, head, admitted, (error) => failed(response, error, admitted.principal))
  }

  return {
    takes: (request) => previewAddress(request) !== undefined,
    answer: (request, response) =>
      void answer(request, response).catch((error: unknown) => failed(response, error)),
    upgrade(request, socket, head) {
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      socket.on('error', () => undefined) // told by its end
      const response = responseOn(request, socket)
      void upgrade(request, socket, head, response).catch((error: unknown) => failed(response, error))
    },
    close() {
      for (const socket of upgraded) socket.destroy()
      proxy.close()
    },
  }
}

function ticketIn({ url = '/' }: IncomingMessage): string | undefined {
  return URL.parse(url, 'http://app')?.searchParams.get(ticketParameter) ?? undefined
}

/** The rest is left as it was written: an app may care. */
function withoutTicket({ url = '/' }: IncomingMessage): string {
  const [path = '/', ...queries] = url.split('?')
  const rest = queries
    .join('?')
    .split('&')
    .filter((part) => part !== '' && part.split('=', 1)[0] !== ticketParameter)
    .join('&')
  // Two slashes would begin the name of another host.
  return path.replace(/^\/{2,}/, '/') + (rest === '' ? '' : `?${rest}`)
}
