import { expect, test } from 'vitest'
import { scriptOf, shellWords } from './shell-words.ts'

test.for([
  ["/bin/bash -lc 'echo hi > out.txt; cat out.txt'", 'echo hi > out.txt; cat out.txt'],
  ['bash -c ls', 'ls'],
  [`/bin/zsh -lc "it's \\"quoted\\""`, `it's "quoted"`],
  [`/bin/bash -lc 'it'"'"'s'`, "it's"],
  ["/bin/bash -lc 'a\nb'", 'a\nb'],
  // What is not exactly a shell with a script stays as it is.
  ["/bin/bash -lc 'ls' more", "/bin/bash -lc 'ls' more"],
  ["/bin/bash -lc 'ls'; rm x", "/bin/bash -lc 'ls'; rm x"],
  ["/bin/bash -lc 'ls' && rm x", "/bin/bash -lc 'ls' && rm x"],
  ['/bin/bash -lc "$(rm x)"', '/bin/bash -lc "$(rm x)"'],
  ["python3 -c 'print(1)'", "python3 -c 'print(1)'"],
  ["/bin/bash -lc 'open", "/bin/bash -lc 'open"],
  ['', ''],
])('%s runs %s', ([command, script]) => {
  expect(scriptOf(command!)).toBe(script)
})

test('an empty word is a word', () => {
  expect(shellWords("a '' b")).toEqual(['a', '', 'b'])
})
