import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestWorkspace, toolMark } from '../../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../../test/support/workspace-tools.ts'
import type { CommandPiece, OutputPart } from '#contract/workspace-tool.ts'
import { listPids } from '#lib/process-list.ts'

let workspace: TestWorkspace
beforeEach(() => {
  workspace = openTestWorkspace()
})
afterEach(() => workspace.close())

const run = (command: string, more: object = {}, signal?: AbortSignal) =>
  workspace.call('command', { command, ...more }, signal)

/** Processes that were started with this variable. */
const marked = (name: string): number[] =>
  listPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TEST_NAME=${name}\0`)
    } catch {
      return false
    }
  })
const ownName = () => `${toolMark}-${Math.random()}`

describe('a command', () => {
  it('answers with what it said and how it ended', async () => {
    expect(await run('echo out; echo é >&2; exit 3')).toEqual({
      stdout: 'out\n',
      stderr: 'é\n',
      exitCode: 3,
      signal: null,
      timedOut: false,
      executionTime: expect.any(Number),
    })
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    expect(await run('no-such-program')).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('no-such-program'),
    })
    expect((await run(String.raw`printf '\377\376ok'`)).stdout).toBe('\ufffd\ufffdok')
  })

  it('runs in the root or a folder below, with the variables that were given', async () => {
    mkdirSync(join(workspace.root, 'a b'))
    expect((await run('pwd')).stdout).toBe(`${workspace.root}\n`)
    expect((await run('pwd', { cwd: '/workspace/a b' })).stdout).toBe(`${join(workspace.root, 'a b')}\n`)
    expect((await run('echo "$ONE"', { env: { ONE: '1 $x' } })).stdout).toBe('1 $x\n')
    expect((await run('env', { env: { PATH: '/none:/usr/bin:/bin' } })).stdout).not.toContain('HOME=')
    expect(await workspace.code('command', { command: 'true', cwd: 'none' })).toBe('path_not_found')
  })

  it('has nothing to read', async () => {
    expect(await run('cat; echo done')).toMatchObject({ stdout: 'done\n' })
  })

  it('that the system cannot start is refused', async () => {
    expect(await workspace.code('command', { command: 'true', env: { A: 'x'.repeat(131_072) } })).toBe(
      'command_not_started',
    )
    expect(await workspace.code('command', { command: 'a\0b' })).toBe('tool_input')
  })
})

describe('a command that does not end', () => {
  it('is ended after its time', async () => {
    const name = ownName()
    expect(await run('while true; do :; done', { timeout: 300, env: { TEST_NAME: name } })).toMatchObject({
      exitCode: null,
      timedOut: true,
    })
    await expect.poll(() => marked(name), { timeout: 20_000 }).toEqual([])
  })

  it('is ended with all that it started, also what does not want to', async () => {
    const name = ownName()
    const stubborn = `trap '' TERM; for i in $(seq 50); do (trap '' TERM; while :; do sleep 60; done) & done; echo ready; wait`
    expect(await run(stubborn, { timeout: 3000, env: { TEST_NAME: name } })).toMatchObject({
      stdout: 'ready\n',
      timedOut: true,
      signal: 'SIGKILL',
    })
    await expect.poll(() => marked(name), { timeout: 20_000 }).toEqual([])
  })

  it('is ended when nobody waits for it any more', async () => {
    const name = ownName()
    const giveUp = new AbortController()
    const answer = run('echo begun > begun; sleep 600', { env: { TEST_NAME: name } }, giveUp.signal)
    await expect.poll(() => existsSync(join(workspace.root, 'begun')), { timeout: 20_000 }).toBe(true)
    giveUp.abort()
    await expect(answer).rejects.toMatchObject({ code: 'tool_timed_out' })
    await expect.poll(() => marked(name), { timeout: 20_000 }).toEqual([])
  })

  it('is ended when the tools are closed', async () => {
    const name = ownName()
    const answer = run('echo begun > begun; sleep 600', { env: { TEST_NAME: name } }).catch(
      (error: { code: string }) => error.code,
    )
    await expect.poll(() => existsSync(join(workspace.root, 'begun')), { timeout: 20_000 }).toBe(true)
    await workspace.tools.close()
    expect(await answer).toBe('tool_timed_out')
    expect(marked(name)).toEqual([])
  })

  it('but leaves something behind that holds its output does not hold up the answer', async () => {
    const name = ownName()
    const begun = performance.now()
    expect(await run('sleep 600 & echo started', { env: { TEST_NAME: name } })).toMatchObject({
      stdout: 'started\n',
      exitCode: 0,
      timedOut: false,
    })
    expect(performance.now() - begun).toBeLessThan(15_000)
    await expect.poll(() => marked(name), { timeout: 20_000 }).toEqual([])
  })
})

describe('many commands', () => {
  it('run eight at a time', async () => {
    const eight = Array.from({ length: 8 }, (_, index) =>
      run(`until [ -e go ]; do sleep 0.05; done; echo ${index}`),
    )
    await expect
      .poll(async () => workspace.code('command', { command: 'true' }).catch(() => 'ran'))
      .toBe('workspace_busy')
    await workspace.call('write', { path: 'go', content: '' })
    expect((await Promise.all(eight)).map(({ stdout }) => stdout.trim())).toEqual('01234567'.split(''))
    expect(await run('true')).toMatchObject({ exitCode: 0 })
  })
})

describe('a long output', () => {
  it('is answered in part, and kept behind a handle', async () => {
    const command = `i=0; while [ $i -lt 60000 ]; do echo "é line $i"; i=$((i+1)); done; echo x >&2`
    const { stdout, stdoutRest, stderr, stderrRest } = await run(command)
    const all = Array.from({ length: 60_000 }, (_, index) => `é line ${index}\n`).join('')
    const bytes = Buffer.byteLength(all)
    expect(stdoutRest).toEqual({ handle: expect.any(String), bytes, said: bytes, isWhole: true })
    expect([stderr, stderrRest]).toEqual(['x\n', undefined])
    expect(Buffer.byteLength(stdout)).toBeGreaterThan(256 * 1024 - 4)
    expect(all.startsWith(stdout)).toBe(true)
    let [got, next]: [string, number | null] = ['', 0]
    while (next !== null) {
      const part: OutputPart = await workspace.call('output', {
        handle: stdoutRest!.handle,
        offset: next,
        limit: 100_001,
      })
      got += part.content
      next = part.next
    }
    expect(got).toBe(all)
    expect(await workspace.call('output', { handle: stdoutRest!.handle, offset: 0, limit: 1 })).toMatchObject(
      {
        content: 'é',
        next: 2,
      },
    )
    expect(await workspace.call('output', { handle: stdoutRest!.handle, offset: 10 ** 9 })).toMatchObject({
      content: '',
      next: null,
    })
  })

  it('is kept up to 64 MB, and says when that was not all', async () => {
    const { stdout, stdoutRest } = await run('head -c 70000000 /dev/zero | tr "\\0" x')
    expect(stdout).toBe('x'.repeat(256 * 1024))
    expect(stdoutRest).toMatchObject({ bytes: 64 << 20, said: 70_000_000, isWhole: false })
  })

  it('is gone when somebody removes it', async () => {
    const { handle } = (await run('head -c 300000 /dev/zero')).stdoutRest!
    for (const name of readdirSync(workspace.scratch)) rmSync(join(workspace.scratch, name))
    expect(await workspace.code('output', { handle })).toBe('output_gone')
  })

  it('is kept until there are too many, and goes with the tools', async () => {
    const first = (await run('head -c 300000 /dev/zero')).stdoutRest!.handle
    await workspace.call('output', { handle: first })
    for (let index = 0; index < 16; index += 1)
      await run('head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2')
    expect(await workspace.code('output', { handle: first })).toBe('output_gone')
    expect(readdirSync(workspace.scratch)).toHaveLength(32)
    await workspace.tools.close()
    expect(readdirSync(workspace.scratch)).toEqual([])
    expect(await workspace.code('output', { handle: 'never' })).toBe('output_gone')
  })
})

describe('rules', () => {
  it('refuse, ask or let pass, the first that fits', async () => {
    workspace.rules.push(
      { pattern: 'git status*', decision: 'allow' },
      { pattern: 'git *', decision: 'ask' },
      { pattern: 'rm *', decision: 'deny' },
    )
    expect(await run('echo fine')).toMatchObject({ exitCode: 0 })
    expect(await workspace.refused('command', { command: 'cd x && rm -rf y' })).toMatchObject({
      code: 'command_refused',
      message: 'The rule "rm *" refuses it',
      context: { rule: 'rm *', decision: 'deny' },
    })
    expect(await workspace.code('command', { command: 'rm x', confirm: true })).toBe('command_refused')
    expect(await workspace.refused('command', { command: 'git push' })).toMatchObject({
      code: 'command_refused',
      message: expect.stringContaining('a person has to confirm this'),
      context: { decision: 'ask' },
    })
    expect(await run('git --version', { confirm: true })).toMatchObject({ exitCode: 0 })
    expect(await workspace.code('command', { command: 'git status; rm x' })).toBe('command_refused')
  })
})

describe('a stream', () => {
  const stream = (input: object, signal = new AbortController().signal) =>
    workspace.tools.stream(input as never, signal)
  const all = async (input: object, signal?: AbortSignal): Promise<CommandPiece[]> => {
    const pieces: CommandPiece[] = []
    for await (const piece of stream(input, signal)) pieces.push(piece)
    return pieces
  }

  it('tells pieces as they come, and the result at the end', async () => {
    const pieces: CommandPiece[] = []
    for await (const piece of stream({
      command: 'echo one; until [ -e go ]; do sleep 0.05; done; echo two >&2',
      timeout: 120_000,
    })) {
      pieces.push(piece)
      if (pieces.length === 1) await workspace.call('write', { path: 'go', content: '' })
    }
    expect(pieces.filter(({ type }) => type !== 'progress')).toEqual([
      { type: 'stdout', text: 'one\n' },
      { type: 'stderr', text: 'two\n' },
      { type: 'result', result: expect.objectContaining({ stdout: 'one\n', stderr: 'two\n', exitCode: 0 }) },
    ])
  })

  it('never cuts a character', async () => {
    const pieces = await all({ command: String.raw`printf '\303'; sleep 0.3; printf '\251\n\303'` })
    const text = pieces.map((piece) => (piece.type === 'stdout' ? piece.text : '')).join('')
    expect(text).toBe('é\n\ufffd')
  })

  it('says every five seconds that it still runs', async () => {
    const pieces = await all({ command: 'sleep 5.5' })
    expect(pieces[0]).toEqual({ type: 'progress', elapsedMs: expect.any(Number) })
    expect(pieces.at(-1)).toMatchObject({ type: 'result' })
  })

  it('tells a refusal as its last piece', async () => {
    expect(await all({ command: '' })).toEqual([
      { type: 'error', error: { code: 'tool_input', message: 'command: must not be empty' } },
    ])
    expect(await all({ command: 'true', timeout: 600_001 })).toMatchObject([{ type: 'error' }])
    expect((await all({ command: 'sleep 600' }, AbortSignal.timeout(500))).at(-1)).toEqual({
      type: 'error',
      error: { code: 'tool_timed_out', message: expect.any(String) },
    })
  })

  it('waits for whoever listens slowly, and loses nothing', async () => {
    let bytes = 0
    for await (const piece of stream({ command: 'head -c 3000000 /dev/zero' })) {
      if (piece.type === 'stdout') bytes += piece.text.length
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    expect(bytes).toBe(3_000_000)
  })

  it('that nobody listens to any more ends its command', async () => {
    const name = ownName()
    for await (const piece of stream({
      command: 'echo begun; yes',
      env: { TEST_NAME: name },
      timeout: 600_000,
    })) {
      expect(piece.type).toBe('stdout')
      break
    }
    await expect.poll(() => marked(name), { timeout: 20_000 }).toEqual([])
  })
})
