import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Launch, TurnAsked } from '#contract/keeper.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import { newId } from '#lib/id.ts'
import { findMarked } from '#lib/marked-processes.ts'
import { signalProcess } from '#lib/process-end.ts'
import { startKeeper } from '../../../test/support/keeper.ts'
import type { TestKeeper } from '../../../test/support/keeper.ts'

const tui = join(import.meta.dirname, 'fixtures/tui.ts')
const which = (name: string) => execFileSync('which', [name], { encoding: 'utf8' }).trim()

const [toScreen, fromScreen] = ['\u001B[?1049h\u001B[?2004h', '\u001B[?1049l']

const turn = (text: string): TurnAsked => ({
  prompt: { text, files: [] },
  sessionRef: null,
  isContinued: false,
  fork: false,
  model: null,
  mode: null,
  mcpServers: [],
  limits: { steps: null, costUsd: null, tokens: null },
  stallMs: 600_000,
  idleMs: 600_000,
  framesFile: null,
})

const inTerminal = (text: string, more: Partial<Launch> = {}): Partial<Launch> => ({
  adapter: 'terminal',
  sessionId: newId(),
  turn: turn(text),
  ...more,
})

describe.each(['pid-namespace', 'process-group'])('in a %s, a program in a terminal', (mode) => {
  let keeper: TestKeeper
  let tools: string
  const sockets = () => readdirSync(dirname(keeper.socket)).filter((name) => name.includes('.tmux'))
  const tmux = (name: string, ...words: string[]) =>
    execFileSync('tmux', ['-S', join(dirname(keeper.socket), `${name}.tmux`), ...words], { encoding: 'utf8' })
  const written = (id: string) =>
    existsSync(join(keeper.folder, `${id}.ndjson`))
      ? keeper
          .records(id)
          .flatMap((record) =>
            record.type === 'data-terminal' ? [Buffer.from(record.payload.chunk, 'base64')] : [],
          )
          .map(String)
          .join('')
      : ''
  const says = async (id: string, text: string) => {
    await expect.poll(() => written(id), { timeout: 8_000 }).toContain(text)
  }
  const started = (id: string) => {
    const record = keeper.records(id).find(({ type }) => type === 'started')
    if (record?.type !== 'started') throw new Error('It has not started')
    return record.payload
  }
  const tell = (id: string, type: string, payload: object = {}) =>
    keeper.call('POST', `/executions/${id}/commands`, { epoch: 1, id: newId(), type, payload })
  const message = (id: string, text: string) => tell(id, 'message', { text, files: [] })
  const ended = async (id: string) => {
    await keeper.progress(id)
    return keeper.records(id).at(-1)!.payload
  }

  beforeAll(async () => {
    // With these alone on its path, a keeper makes no namespaces.
    tools = mkdtempSync(join(tmpdir(), 'tools-'))
    for (const name of ['tmux', 'mkfifo']) symlinkSync(which(name), join(tools, name))
    keeper = await startKeeper(mode === 'process-group' ? { env: { PATH: tools } } : {})
  })
  afterAll(async () => {
    await keeper.stop()
    rmSync(tools, { recursive: true, force: true })
  })

  it('is typed to, says everything, and ends with its code', async () => {
    const id = await keeper.launch(process.execPath, [tui], inTerminal('hello; #{pid} $HOME;'))
    await says(id, 'entered "hello; #{pid} $HOME;"')
    expect(written(id).startsWith(`${toScreen}ready tty=true size=160x48 cwd=/`)).toBe(true)
    const { pid, tmuxSession } = started(id)
    expect(tmux(tmuxSession!, 'list-panes', '-F', '#{pane_dead} #{alternate_on}').trim()).toBe('0 1')
    const greeting = (await keeper.call('GET', '/')).body
    expect(greeting).toMatchObject({ isolation: mode, executions: [{ pid }] })
    expect((await message(id, 'exit 7')).body).toEqual({ outcome: 'delivered', how: 'steered' })
    expect(await ended(id)).toMatchObject({ reason: 'exited', exitCode: 7, signal: null, message: null })
    expect(written(id).endsWith(`entered "exit 7"\r\n${fromScreen}`)).toBe(true)
    expect(sockets()).toEqual([])
  })

  it('gets several lines in one paste, without keys that hide in them', async () => {
    const id = await keeper.launch(process.execPath, [tui], inTerminal('one\ntwo\u001B[201~\r\nthree;'))
    await says(id, 'pasted 19 "one\\rtwo[201~\\rthree;"')
    await says(id, 'entered ""')
    await message(id, 'é'.repeat(20_000))
    await says(id, 'pasted 20000 "é')
    await message(id, 'exit 0')
    expect(await ended(id)).toMatchObject({ reason: 'exited', exitCode: 0 })
  })

  it('is interrupted by Escape, by Ctrl-C when somebody insists, and takes no answers', async () => {
    const id = await keeper.launch(process.execPath, [tui], inTerminal('hi'))
    await says(id, 'entered "hi"')
    await tell(id, 'interrupt')
    await says(id, 'escape')
    expect(written(id)).not.toContain('ctrl-c')
    await tell(id, 'interrupt')
    await says(id, 'ctrl-c')
    expect((await tell(id, 'answer', { requestId: 'x' })).body).toMatchObject({ outcome: 'refused' })
    expect((await tell(id, 'mode', { mode: 'x' })).body.reason).toContain('attach to it')
    const file = { url: 'data:text/plain,x', mediaType: 'text/plain' }
    expect((await tell(id, 'message', { text: 'x', files: [file] })).body.outcome).toBe('refused')
    await tell(id, 'cancel')
    expect(await ended(id)).toMatchObject({ reason: 'cancelled' })
    expect(findMarked(MARK, [id, `tmux:${id}`])).toEqual([])
    expect(sockets()).toEqual([])
  })

  it('loses nothing of what it writes before it ends', async () => {
    const id = await keeper.launch(process.execPath, [tui], inTerminal('hi'))
    await says(id, 'entered "hi"')
    const server = Number(tmux(started(id).tmuxSession!, 'display-message', '-p', '#{pid}'))
    const copier = findMarked(MARK, [`tmux:${id}`]).find(({ pid }) => pid !== server)!
    const state = async () => {
      const { executions } = (await keeper.call('GET', '/')).body
      return executions.find((one: { id: string }) => one.id === id).state
    }
    // All of it has to wait with tmux until the program is known to be gone.
    process.kill(copier.pid, 'SIGSTOP')
    await message(id, 'flood 30000')
    await expect.poll(state, { timeout: 8_000, interval: 10 }).toBe('stopping')
    signalProcess(copier, 'SIGCONT')
    expect(await ended(id)).toMatchObject({ reason: 'exited', exitCode: 0 })
    const lines = [...written(id).matchAll(/line (\d+)\./g)].map(([, number]) => Number(number))
    expect(lines).toEqual(Array.from({ length: 30_000 }, (_, index) => index))
    expect(written(id).endsWith('line 29999.\r\n')).toBe(true)
  })

  it('takes along what it leaves on its terminal', async () => {
    const script = 'trap "" HUP; sleep 6000 & exit 3'
    const id = await keeper.launch('/bin/sh', ['-c', script], inTerminal('hi'))
    expect(await ended(id)).toMatchObject({ reason: 'exited', exitCode: 3 })
    expect(findMarked(MARK, [id, `tmux:${id}`])).toEqual([])
  })

  it('tells by which signal it ended', async () => {
    const id = await keeper.launch(process.execPath, [tui], inTerminal('die'))
    expect(await ended(id)).toMatchObject({ reason: 'exited', exitCode: null, signal: 'SIGTERM' })
  })

  it('knows only the environment it was given, and not of tmux', async () => {
    const env = { PATH: process.env['PATH'] ?? '', SECRET: 'do-not-show' }
    const id = await keeper.launch(process.execPath, [tui], inTerminal('env', { env }))
    await says(id, `PATH SECRET ${MARK} TERM\r\n`)
    const shown = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    expect(shown).toContain(started(id).tmuxSession!)
    expect(shown).not.toContain(env.SECRET)
    await tell(id, 'cancel')
    await ended(id)
  })

  it('says so when its tmux is killed, and leaves nothing', async () => {
    const id = await keeper.launch(process.execPath, [tui], inTerminal('hi'))
    await says(id, 'entered "hi"')
    const server = Number(tmux(started(id).tmuxSession!, 'display-message', '-p', '#{pid}'))
    process.kill(server, 'SIGKILL')
    expect(await ended(id)).toMatchObject({
      reason: 'exited',
      exitCode: null,
      message: 'Its terminal is gone: tmux was ended',
    })
    expect(findMarked(MARK, [id, `tmux:${id}`])).toEqual([])
    expect(sockets()).toEqual([])
  })

  it('lets people attach and detach, and start nothing outside', async () => {
    const id = await keeper.launch(process.execPath, [tui], inTerminal('hi'))
    await says(id, 'entered "hi"')
    const name = started(id).tmuxSession!
    const socket = join(dirname(keeper.socket), `${name}.tmux`)
    const person = spawn('script', ['-qc', `tmux -S ${socket} attach -t ${name}`, '/dev/null'], {
      env: { ...process.env, TERM: 'xterm', TMUX: '' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    person.stdout.resume()
    const left = new Promise((resolve) => person.once('exit', resolve))
    await expect.poll(() => tmux(name, 'list-clients').trim()).not.toBe('')
    person.stdin.write('\u0002c\u0002:new-window\r')
    await says(id, ':new-window"')
    expect(tmux(name, 'list-windows').trim().split('\n')).toHaveLength(1)
    person.stdin.write('\u0002d')
    await left
    await tell(id, 'cancel')
    await ended(id)
  })

  it('is refused when it is not there', async () => {
    const id = await keeper.launch('/nowhere/tui', [], inTerminal('hi'))
    expect(await ended(id)).toMatchObject({
      reason: 'not_started',
      message: 'The program /nowhere/tui is not there.',
    })
  })
})

it('is not started where tmux is missing', async () => {
  const keeper = await startKeeper({ env: { PATH: '/nowhere' } })
  try {
    const { end } = await keeper.run(process.execPath, [tui], inTerminal('hi'))
    expect(end).toMatchObject({
      reason: 'not_started',
      message: expect.stringContaining('tmux is not installed'),
    })
  } finally {
    await keeper.stop()
  }
})
