import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { oddPrograms, wallParts } from '../../test/support/discovery/odd-programs.ts'
import { probeSandbox } from '#boundaries/sandbox/probe.ts'
import { commandLineOf, listPids } from '#lib/process-list.ts'
import { mostSaid, openWalls } from './walls.ts'

const { works, reason } = await probeSandbox()

describe.skipIf(!works)(`walls for a program that is asked for help${works ? '' : ` (${reason})`}`, () => {
  const odd = oddPrograms()
  const walls = openWalls(wallParts)
  afterAll(async () => {
    await walls.close()
    odd.close()
  })
  const say = (name: string, script: string) => walls.run(odd.add(name, script).path, ['--help'])
  const left = (mark: string) => listPids().filter((pid) => commandLineOf(pid)?.includes(mark))
  afterEach(() => {
    const strays = left('4242.')
    if (strays.length > 0) throw new Error(`${strays.length} processes are left`)
  })

  it('give back what it says', async () => {
    const said = await say('polite', 'echo "usage: polite $1"; echo oops >&2; exit 3')
    expect(said).toEqual({ stdout: 'usage: polite --help\n', stderr: 'oops\n', exitCode: 3, ended: 'itself' })
  })

  it('end one that hangs, after 2 s', async () => {
    const began = Date.now()
    const said = await say('hangs', 'echo "usage: hangs"; sleep 4242.1')
    expect(said).toMatchObject({ stdout: 'usage: hangs\n', ended: 'late', exitCode: null })
    expect(Date.now() - began).toBeGreaterThan(1_900)
    expect(Date.now() - began).toBeLessThan(8_000)
  })

  it('hear only the beginning of one that says 1 GB', async () => {
    const before = process.memoryUsage.rss()
    const began = Date.now()
    const said = await say('floods', 'exec head -c 1073741824 /dev/zero')
    expect([said.ended, said.stdout.length]).toEqual(['flood', mostSaid])
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 << 20)
    expect(Date.now() - began).toBeLessThan(8_000)
  })

  it('have no terminal, and nothing to read', async () => {
    const { stdout } = await say(
      'asks',
      'tty; true < /dev/tty && echo has a terminal; read -r line || echo no input; cat; echo done',
    )
    expect(stdout).toBe('not a tty\nno input\ndone\n')
  })

  it('let it change nothing', async () => {
    const victims = [homedir(), odd.folder, '/usr', '/etc', '/tmp'].map((folder) =>
      join(folder, `harm-${process.pid}`),
    )
    odd.add('victim', 'echo alive')
    const { stdout } = await say(
      'harms',
      `rm -rf '${odd.folder}' /usr/bin/true "$HOME" /home /root; for f in ${victims.join(' ')}; do touch $f; done; kill -9 -1; echo done`,
    )
    expect(stdout).toBe('done\n')
    for (const victim of victims) expect([victim, existsSync(victim)]).toEqual([victim, false])
    expect(readdirSync(odd.folder)).toContain('victim')
    expect(existsSync('/usr/bin/true')).toBe(true)
  })

  it('take along a child that would outlive it', async () => {
    const { ended } = await say(
      'forks',
      'setsid sleep 4242.2 >/dev/null 2>&1 & (setsid setsid sleep 4242.3 & ) ; sleep 0.2; exit 0',
    )
    expect(ended).toBe('itself')
    expect(left('4242.')).toEqual([])
  })

  it('have an end for one that only forks', async () => {
    const said = await say('bomb', '#!/bin/bash\nwhile :; do sleep 4242.4 & done 2>/dev/null')
    expect(said.ended).not.toBe('itself')
  }, 30_000)

  it('are held to their share of the machine while they stand, and not longer', async () => {
    const told: string[] = []
    const hold = () => ({
      take: (pids: readonly number[]) => void told.push(`took ${pids.length}`),
      close: () => Promise.resolve(void told.push('closed')),
    })
    const own = openWalls({ ...wallParts, hold })
    expect((await own.run(odd.add('held', 'echo held').path, [])).stdout).toBe('held\n')
    expect(told).toEqual(['took 1', 'closed'])
    await own.close()
  })

  it('have a root that nobody can write, whoever they are', async () => {
    const { stdout } = await say(
      'root',
      `while read -r _ _ _ _ place how _; do [ "$place" = / ] && echo "$how"; done < /proc/self/mountinfo`,
    )
    expect(stdout).toMatch(/^ro,/)
  })

  it('have no network, not even the machine’s own', async () => {
    let calls = 0
    const server = createServer((connection) => {
      calls += 1
      connection.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    const { port } = server.address() as { port: number }
    try {
      const script = `#!/usr/bin/env bash\nexec 3<>/dev/tcp/127.0.0.1/${port} && echo reached; ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c eth`
      const { stdout } = await say('calls', script)
      expect([stdout.trim(), calls]).toEqual(['0', 0])
    } finally {
      server.close()
    }
  })

  it('show neither homes, nor sockets, nor what is ours', async () => {
    const kept = mkdtempSync(join(tmpdir(), 'kept-'))
    writeFileSync(join(kept, 'secret'), 'secret')
    try {
      const { stdout } = await say(
        'looks',
        `ls -A "$HOME" /root /home/* /run /var/run ${kept} 2>/dev/null | grep -v :; cat /etc/shadow /etc/passwd; env | grep -i -e signalbox -e token; id -u`,
      )
      expect(stdout.split('\n').filter(Boolean)).toEqual([expect.stringMatching(/^[1-9]\d*$/)])
    } finally {
      rmSync(kept, { recursive: true })
    }
  })

  it('hide a folder that lies in one that is shown, by whatever name', async () => {
    const hidden = join('/opt', `signalbox-hidden-${process.pid}`)
    mkdirSync(hidden)
    writeFileSync(join(hidden, 'secret'), 'secret')
    const careful = openWalls({ ...wallParts, hidden: [hidden] })
    const linked = `${odd.add('linked', '').path}.folder`
    symlinkSync(hidden, linked)
    const alsoCareful = openWalls({ ...wallParts, hidden: [linked] })
    try {
      const nosy = odd.add('nosy', `cat ${hidden}/secret; echo looked`)
      expect((await walls.run(nosy.path, [])).stdout).toBe('secretlooked\n')
      expect((await careful.run(nosy.path, [])).stdout).toBe('looked\n')
      expect((await alsoCareful.run(nosy.path, [])).stdout).toBe('looked\n')
    } finally {
      await Promise.all([careful.close(), alsoCareful.close()])
      rmSync(hidden, { recursive: true })
    }
  })

  it('give it no rights', async () => {
    const { stdout } = await say(
      'rights',
      'grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status',
    )
    const zero = (name: string) => `${name}:\t0000000000000000`
    expect(stdout.split('\n').slice(0, 2)).toEqual([zero('CapPrm'), zero('CapEff')])
    expect(stdout).toMatch(/NoNewPrivs:\t1\nSeccomp:\t2/)
  })

  it('come down when nobody waits any more, and when they are closed', async () => {
    const slow = odd.add('slow', 'sleep 4242.5')
    const patient = { ...wallParts, limitMs: 20_000 }
    const stop = new AbortController()
    const stopped = walls.run(slow.path, [], stop.signal)
    setTimeout(() => stop.abort(), 100)
    await expect(stopped).rejects.toThrow(/abort/i)
    expect(left('4242.')).toEqual([])

    const own = openWalls(patient)
    const running = own.run(slow.path, [])
    running.catch(() => undefined)
    await expect.poll(() => left('4242.5').length, { timeout: 5_000 }).toBeGreaterThan(0)
    const began = Date.now()
    await own.close()
    expect(Date.now() - began).toBeLessThan(1_000)
    expect(left('4242.')).toEqual([])
    await expect(own.run(slow.path, [])).rejects.toThrow(/closed/)
  })

  it('come down also while they are put up', async () => {
    for (let attempt = 0; attempt < 24; attempt += 1) {
      const stop = new AbortController()
      const run = walls.run('/bin/sleep', ['4242.6'], stop.signal)
      setTimeout(() => stop.abort(), attempt)
      await expect(Promise.race([run, wait(5_000)])).rejects.toThrow(/abort/i)
    }
    expect(left('4242.6')).toEqual([])
  }, 30_000)

  it('show an environment of Python that was made in a home, and nothing else of that home', async () => {
    const home = mkdtempSync(join(tmpdir(), 'someone-'))
    for (const folder of ['.ssh', 'bin', 'lib/app']) mkdirSync(join(home, folder), { recursive: true })
    for (const name of ['.ssh/key', 'pyvenv.cfg', 'lib/app/words', 'diary'])
      writeFileSync(join(home, name), `${name}\n`)
    const script = `#!/bin/sh\ncd "$(dirname "$0")/.." && cat lib/app/words pyvenv.cfg .ssh/key diary`
    writeFileSync(join(home, 'bin/app'), script, { mode: 0o755 })
    try {
      expect((await walls.run(join(home, 'bin/app'), ['--help'])).stdout).toBe('lib/app/words\npyvenv.cfg\n')
    } finally {
      rmSync(home, { recursive: true })
    }
  })

  it('show what was installed along with a program, and no more', async () => {
    const home = mkdtempSync(join(tmpdir(), 'someone-'))
    for (const folder of ['.ssh', 'app/bin', 'app/lib/app'])
      mkdirSync(join(home, folder), { recursive: true })
    writeFileSync(join(home, '.ssh/key'), 'key')
    writeFileSync(join(home, 'app/lib/app/words'), 'along\n')
    const script =
      '#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")"); cat "$here/../lib/app/words" "$here/../../.ssh/key"'
    writeFileSync(join(home, 'app/bin/app'), script, { mode: 0o755 })
    try {
      expect((await walls.run(join(home, 'app/bin/app'), ['--help'])).stdout).toBe('along\n')
    } finally {
      rmSync(home, { recursive: true })
    }
  })
})

describe('without walls', () => {
  it('nothing is run, and it is said why', async () => {
    const odd = oddPrograms()
    try {
      const { path } = odd.add('traitor', `touch '${odd.folder}/ran'`)
      await expect(openWalls({ ...wallParts, path: '/nowhere' }).run(path, [])).rejects.toThrow(
        'Bubblewrap is not installed, so it was not run',
      )
      await expect(openWalls({ ...wallParts, seccomp: undefined }).run(path, [])).rejects.toThrow('no filter')
      odd.add('bwrap', 'echo "bwrap: No permissions to create a new namespace" >&2; exit 1')
      const refusing = openWalls({ ...wallParts, path: `${odd.folder}:${wallParts.path}` })
      await expect(refusing.run(path, [])).rejects.toThrow(/so it was not run: bwrap: No permissions/)
      expect(existsSync(join(odd.folder, 'ran'))).toBe(false)
    } finally {
      odd.close()
    }
  })
})
