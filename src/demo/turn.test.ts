import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { notesFile } from './job.ts'
import { demoTurn } from './turn.ts'

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'signalbox-demo-'))
  writeFileSync(join(cwd, 'README.md'), '# A house\n')
  onTestFinished(() => rmSync(cwd, { recursive: true }))
})

async function turn(answer: boolean | 'cancel', asked = { text: 'Build a house', isFirst: true }) {
  const updates: Record<string, unknown>[] = []
  const questions: object[] = []
  let isCancelled = false
  await demoTurn(
    { cwd, ...asked },
    {
      update: (update) => void updates.push({ ...update }),
      ask: async (question) => {
        questions.push(question)
        isCancelled = answer === 'cancel'
        return answer === true
      },
      isCancelled: () => isCancelled,
      pause: () => Promise.resolve(),
    },
  )
  const said = updates.flatMap(({ content }) => (content as { text?: string } | undefined)?.text ?? [])
  return { updates, questions, said }
}

test('says in its first words that it is a demo and no model, and looks, asks and writes', async () => {
  const { updates, questions, said } = await turn(true)
  expect(updates[0]).toMatchObject({ sessionUpdate: 'agent_message_chunk' })
  expect(said[0]).toMatch(/demo agent.*a script, and no model/)
  expect(questions).toMatchObject([{ content: [{ type: 'diff', oldText: null }] }])
  expect(readFileSync(join(cwd, notesFile), 'utf8')).toContain('The README begins with: A house')
  expect(said.at(-1)).toContain(`I have written ${notesFile}`)
})

test('writes nothing when it is told no, and says so', async () => {
  const { said } = await turn(false)
  expect(existsSync(join(cwd, notesFile))).toBe(false)
  expect(said.at(-1)).toContain('I have written nothing')
})

test('writes nothing, and says nothing more, when it is called off while it asks', async () => {
  const { said } = await turn('cancel')
  expect(existsSync(join(cwd, notesFile))).toBe(false)
  expect(said).toHaveLength(1)
})

test('follows no link out of the folder, and tells that it could not write', async () => {
  const outside = `${cwd}-outside`
  writeFileSync(outside, 'mine')
  onTestFinished(() => rmSync(outside))
  symlinkSync(outside, join(cwd, notesFile))
  const { said } = await turn(true)
  expect(readFileSync(outside, 'utf8')).toBe('mine')
  expect(said.at(-1)).toContain('could not be written')
})

test('answers what comes later plainly, and does nothing', async () => {
  const { updates, said } = await turn(true, { text: 'Now paint it', isFirst: false })
  expect(updates).toHaveLength(1)
  expect(said[0]).toContain('a script, and no model, so I cannot act on that')
})
