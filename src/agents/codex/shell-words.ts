/** What a shell would take out of these words; undefined where only a shell can tell. */
export function shellWords(text: string): string[] | undefined {
  const words: string[] = []
  let rest = text.trim()
  while (rest) {
    let word = ''
    for (;;) {
      const piece = /^(?:'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\([^\n])|([\w@%+=:,./-]+))/s.exec(rest)
      if (!piece) break
      const [whole, single, double, escaped, plain] = piece
      word += single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? ''
      rest = rest.slice(whole.length)
    }
    if (rest && !/^\s/.test(rest)) return undefined
    words.push(word)
    rest = rest.trimStart()
  }
  return words
}

/** `/bin/bash -lc 'touch a'` is Codex's way to run `touch a`. What is not exactly that stays as it is. */
export function scriptOf(command: string): string {
  const [shell = '', flag = '', script, ...more] = shellWords(command) ?? []
  const isShell = /^(?:\/\S*\/)?(?:ba|z|da)?sh$/.test(shell)
  return isShell && /^-l?c$/.test(flag) && script && more.length === 0 ? script : command
}
