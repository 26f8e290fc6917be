import { expect, it } from 'vitest'
import { commandWords, variablesIn } from './command-words.ts'

it('takes a command line apart as a shell does', () => {
  expect(commandWords('npx -y @scope/server')).toEqual(['npx', '-y', '@scope/server'])
  expect(commandWords(`  node "my file.mjs" --name='a "b" c'  `)).toEqual([
    'node',
    'my file.mjs',
    '--name=a "b" c',
  ])
  expect(commandWords(String.raw`a\ b "c\"d" '\'`)).toEqual(['a b', 'c"d', '\\'])
  expect(commandWords(`run ''`)).toEqual(['run', ''])
  expect(commandWords('   ')).toEqual([])
})

it('reads variables by lines, and leaves their values as they are', () => {
  expect(variablesIn('A=1\n B =two = 2 \n\nnothing\n=x')).toEqual({ A: '1', B: 'two = 2 ' })
})
