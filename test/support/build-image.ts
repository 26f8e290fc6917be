import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'

interface Asked {
  /** What the Dockerfile may copy from. */
  context: string
  /** Within the context. */
  dockerfile: string
  tag: string
  args: Record<string, string>
}

/** Builds an image as `docker build` does, without a network. Rejects with what was said. */
export async function buildImage(
  socketPath: string,
  { context, dockerfile, tag, args }: Asked,
): Promise<void> {
  const tar = spawn('tar', ['-C', context, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const query = new URLSearchParams({ dockerfile, t: tag, networkmode: 'none', forcerm: '1' })
  query.set('buildargs', JSON.stringify(args))
  const headers = { 'content-type': 'application/x-tar' }
  const sent = request({
    socketPath,
    method: 'POST',
    path: `/build?${query.toString()}`,
    agent: false,
    headers,
  })
  tar.stdout.pipe(sent)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let said = ''
  for await (const part of answer.setEncoding('utf8')) said += String(part)
  if (answer.statusCode !== 200 || said.includes('"errorDetail"')) throw new Error(`Not built: ${said}`)
}
