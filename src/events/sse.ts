import type { StoredEvent } from '#db/events.ts'

const encoder = new TextEncoder()

/** Said every 15 s, so that a reader and every proxy in between can tell silence from death. */
export const heartbeat = encoder.encode(': alive\n\n')

/** Opens a stream: names the seq from which a reader resumes that is cut off before its first event. */
export const ready = (seq: number): Uint8Array =>
  encoder.encode(`id: ${seq}\nevent: ready\ndata: {"seq":${seq}}\n\n`)

export function encodeEvents(events: readonly StoredEvent[]): Uint8Array {
  let text = ''
  for (const { seq, executionId, type, payload, at } of events) {
    const execution = executionId ? `"${executionId}"` : 'null'
    // A line break in JSON text is white space between tokens, but would end an SSE line.
    const oneLine =
      payload.includes('\n') || payload.includes('\r') ? payload.replaceAll(/[\r\n]/g, ' ') : payload
    text += `id: ${seq}\ndata: {"seq":${seq},"executionId":${execution},"type":${JSON.stringify(type)},"payload":${oneLine},"at":"${at.toISOString()}"}\n\n`
  }
  return encoder.encode(text)
}
