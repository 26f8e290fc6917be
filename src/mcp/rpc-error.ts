/** An error of JSON-RPC, for the request in this body if it is one. */
export function rpcError(
  status: number,
  code: number,
  message: string,
  body: unknown,
  data?: Record<string, unknown>,
): Response {
  return Response.json(
    { jsonrpc: '2.0', id: idIn(body), error: { code, message, ...(data && { data }) } },
    { status },
  )
}

function idIn(body: unknown): string | number | null {
  if (typeof body !== 'object' || body === null || !('id' in body)) return null
  return typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null
}
