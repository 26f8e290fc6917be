import type { ClientHttp2Session } from 'node:http2'
import { onPath } from '#lib/on-path.ts'
import { NotStarted } from '#lib/program.ts'
import { askHost } from '../ask-host.ts'
import type { Enclosure } from '../port.ts'

interface Way {
  engine: { name: string }
  /** Of the container. */
  name: string
  user: string
  markName: string
  session: ClientHttp2Session
  /** Kills the container: what does not end in there ends with it. */
  takeDown: (reason: string) => Promise<boolean>
}

const noDocker =
  'A terminal in a container needs the command docker, which is not installed: apt install docker.io, or docker-ce-cli.'
/** Beyond the grace: for killing, and for looking whether all are dead. */
const endMs = 20_000

/** The way in for a program on a terminal: the engine gives it one, by its own command line. */
export function enterContainer({ engine, name, user, markName, session, takeDown }: Way): Enclosure['enter'] {
  return async ({ file, argv, env, cwd }, mark) => {
    const docker = onPath('docker', process.env['PATH'] ?? '')
    if (docker === undefined) throw new NotStarted(noDocker)
    // By name only: values among the words of a command could be read by everybody on the machine.
    const names = [...new Set([...Object.keys(env), markName, 'TERM'])].flatMap((key) => ['--env', key])
    const place = ['--user', user, '--workdir', cwd]
    const end = async (graceMs: number) =>
      (await endMarked(graceMs)) || takeDown('what was to be ended in it could not be proven dead')
    const endMarked = (graceMs: number) =>
      askHost(session, 'POST', '/programs/end', {
        signal: AbortSignal.timeout(graceMs + endMs),
        body: { mark, graceMs },
      }).then(
        (answer) => 'isDead' in answer && answer.isDead === true,
        () => false,
      )
    let ended: Promise<boolean> | undefined
    return {
      words: [
        docker,
        '--host',
        engine.name,
        'exec',
        '--interactive',
        '--tty',
        ...place,
        ...names,
        name,
        file,
        ...argv,
      ],
      begun: (pid) => Promise.resolve({ pid, end: (graceMs) => (ended ??= end(graceMs)) }),
      close: () => undefined,
    }
  }
}
