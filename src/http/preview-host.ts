import type { IncomingMessage } from 'node:http'
import type { PreviewPlace } from '#db/previews.ts'

export interface PreviewAddress extends PreviewPlace {
  /** As the browser calls it: name and port. */
  host: string
}

const label = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:--([1-9]\d{0,4}))?\.localhost(?::(\d+))?$/

/**
 * The preview that a request is for, by the name it calls us by: `<workspace>.localhost`, or `<workspace>--<port>.localhost` for
 * another port than the app's. Whatever such a request says besides that, it never reaches our own pages or API.
 */
export function previewAddress({ headers, socket }: IncomingMessage): PreviewAddress | undefined {
  const host = headers.host?.toLowerCase()
  const [, workspaceId, port, ours] = label.exec(host ?? '') ?? []
  if (!host || !workspaceId || Number(ours ?? 80) !== socket.localPort) return undefined
  return { workspaceId, port: port === undefined ? null : Number(port), host }
}

/** The name under which a place is shown. */
export const previewName = ({ workspaceId, port }: PreviewPlace): string =>
  `${workspaceId}${port === null ? '' : `--${port}`}.localhost`
