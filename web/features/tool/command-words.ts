/** The words of a command line: what stands in quotes is one, and a backslash takes the next character as it is. */
export function commandWords(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!
    if (character === '\\' && quote !== "'") word = (word ?? '') + (line[(at += 1)] ?? '')
    else if (quote) {
      if (character === quote) quote = ''
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  return word === undefined ? words : [...words, word]
}

/** `NAME=value`, one on a line. */
export const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=')
      return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1)]] : []
    }),
  )
