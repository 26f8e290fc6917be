/** Log lines as build tools and servers write them: times, colours, words that come again, numbers that do not. */
export function logText(bytes: number): () => Buffer {
  const words =
    'compile resolve GET POST cache hit miss retry passed failed src/board.ts src/task.ts chunk'.split(' ')
  let seed = 42
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return seed % below
  }
  let rest = ''
  return () => {
    let text = rest
    while (text.length < bytes) {
      const word = () => words[random(words.length)]
      const time = new Date(1_780_000_000_000 + random(1_000_000_000)).toISOString()
      text += `${time} \u001b[32minfo\u001b[39m [worker-${random(8)}] ${word()} ${word()} ${random(1e9).toString(36)} ${random(999)} ms\n`
    }
    rest = text.slice(bytes)
    return Buffer.from(text.slice(0, bytes), 'latin1')
  }
}
