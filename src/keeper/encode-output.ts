import type { SpoolRecord } from '#contract/keeper.ts'

const tail = '"}}\n'

/**
 * Writes records of output as JSON.stringify would, but without a second copy of the text, and always into the same bytes:
 * there may be 100 MB in a second. What is returned holds until the next call.
 */
export function outputEncoder() {
  let space = Buffer.alloc(0)
  return (
    { offset, at }: Pick<SpoolRecord, 'offset' | 'at'>,
    stream: 'stdout' | 'stderr' | 'system',
    output: Buffer,
  ): Buffer => {
    const head = `{"offset":${offset},"at":"${at}","type":"data-terminal","payload":{"stream":"${stream}","chunk":"`
    const size = head.length + Math.ceil(output.length / 3) * 4 + tail.length
    if (space.length < size) space = Buffer.allocUnsafeSlow(size)
    space.write(head, 'latin1')
    space.write(output.toString('base64'), head.length, 'latin1')
    space.write(tail, size - tail.length, 'latin1')
    return space.subarray(0, size)
  }
}
