import { describe, expect, test } from 'vitest'
import { asksForJob, kindsOf, notes, notesFile, planAt } from './job.ts'

const seen = {
  files: ['a.ts', 'b.ts', 'README.md', '.env', 'LICENSE'],
  folders: ['src'],
  isCut: false,
  about: 'A house',
}

test('does its job for the first message, whatever it says, and later only when told so', () => {
  expect(asksForJob('Fix the parser', true)).toBe(true)
  for (const text of ['again', 'Again, please', '“once more”', 'once again!'])
    expect([text, asksForJob(text, false)]).toEqual([text, true])
  for (const text of ['Fix the parser', 'do not do it again', '', 'against all odds'])
    expect([text, asksForJob(text, false)]).toEqual([text, false])
})

test('has one step of its plan under way at a time, and none in the end', () => {
  const statuses = (now: Parameters<typeof planAt>[0]) => planAt(now).map(({ status }) => status)
  expect(statuses(0)).toEqual(['in_progress', 'pending', 'pending'])
  expect(statuses(2)).toEqual(['completed', 'completed', 'in_progress'])
  expect(statuses('done')).toEqual(['completed', 'completed', 'completed'])
})

describe('its notes', () => {
  test('say who wrote them, and what is true of the folder', () => {
    const text = notes(seen)
    expect(text).toContain('a script and no model')
    expect(text).toContain('- 5 files and 1 folder at the top')
    expect(text).toContain('- Kinds of files: 2 × .ts, 1 × .md')
    expect(text).toContain('- The README begins with: A house')
  })

  test('are the same a second time: its own file does not count', () => {
    expect(notes({ ...seen, files: [...seen.files, notesFile] })).toBe(notes(seen))
  })

  test('say so when there was more than it looked at, and leave out what it does not know', () => {
    const text = notes({ files: [], folders: [], isCut: true, about: null })
    expect(text).toContain('- At least 0 files and 0 folders')
    expect(text).not.toMatch(/Kinds|README/)
  })
})

test('counts kinds of files by their ending, most first', () => {
  expect(kindsOf(['x.TS', 'y.ts', 'z.md', '.gitignore', 'Makefile'])).toEqual([
    { ending: 'ts', count: 2 },
    { ending: 'md', count: 1 },
  ])
})
