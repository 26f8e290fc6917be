export interface Frame {
  id: string | undefined
  event: string
  data: string
}

/** Cuts a text/event-stream into frames, whatever pieces it arrives in. Comments (heartbeats) make no frame. */
export function frameCutter(): (text: string) => Frame[] {
  let rest = ''
  return (text) => {
    // A \r at the end may be half of a \r\n: it waits for what follows.
    const blocks = (rest + text).replaceAll(/\r\n|\r(?!$)/g, '\n').split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap(frameOf)
  }
}

function frameOf(block: string): Frame[] {
  const frame: Frame = { id: undefined, event: 'message', data: '' }
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [name = '', value = ''] = line.split(/: ?(.*)/s)
    if (name === 'id') frame.id = value
    if (name === 'event') frame.event = value
    if (name === 'data') data.push(value)
  }
  return data.length > 0 ? [{ ...frame, data: data.join('\n') }] : []
}
