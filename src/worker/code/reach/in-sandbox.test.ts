import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openCodeMode } from '#codemode/open.ts'
import { offered, openTestRegistry, owner, said, scriptedSource, settings } from '#tools/fixtures/registry.ts'
import { clockAndSeed } from './clock-and-seed.ts'
import { grantsWith } from './fixtures/grants.ts'
import { openLocalServer } from './fixtures/local-server.ts'
import { openReach } from './open-reach.ts'

const code = (url: string, file: string): string => `
const tried = async (work) => { try { return await work() } catch (error) { return [error.kind, error.code, error.message.slice(0, 30)] } }
const answer = await fetch('${url}', { method: 'POST', headers: { 'x-a': 'b' }, body: 'hello' })
await new Promise((resolve) => setTimeout(resolve, 5))
return {
  answer: [answer.ok, answer.status, answer.headers.get('X-Told'), await answer.json()],
  tool: await mcp.github.getIssue({ id: 1 }),
  written: (await fs.writeFile('${file}', 'text')) ?? 'nothing',
  read: await fs.readFile('${file}'),
  listed: await fs.readdir('${file}'.replace(/\\/[^/]*$/, '')),
  year: new Date().getFullYear(),
  elsewhere: await tried(() => fetch('http://10.0.0.1/')),
  beyond: await tried(() => mcp.github.deleteAll({})),
  secret: await tried(() => fs.readFile('/etc/passwd')),
}`

test('code inside a sandbox reaches what it was granted, and sees why it does not reach the rest', async () => {
  const server = await openLocalServer((_request, response) =>
    response.writeHead(200, { 'x-told': 'yes' }).end('[1]'),
  )
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reach-sandbox-')))
  mkdirSync(join(folder, 'data'))
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'data/old'), '')
  const { registry } = openTestRegistry({ approve: async () => {} })
  const tools = [offered('get_issue'), offered('delete_all')]
  registry.put(scriptedSource('github', tools, () => said('{"title":"It breaks"}')).source, settings())
  const megabytes = 1024 ** 2
  const codeMode = openCodeMode({
    threads: { min: 1, max: 1, idleMs: 30_000 },
    mostMemoryBytes: 64 * megabytes,
    mostWaiting: 10,
    mostWaitingOfOne: 10,
  })
  onTestFinished(async () => {
    await codeMode.close()
    await registry.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const filesystem = { allowedPaths: [join(folder, 'data')] }
  const config = {
    home: join(folder, 'home'),
    port: 4100,
    terminalPort: 4101,
    worker: {},
    capabilities: { filesystem },
  }
  const grants = grantsWith({
    network: { hosts: ['127.0.0.1'] },
    files: { paths: [{ path: join(folder, 'data'), isReadOnly: false }] },
    mcp: { tools: ['github.get_issue'] },
  })
  const api = codeMode.api(registry.list(owner))
  const reach = openReach(
    { registry, observe: (tool, value) => codeMode.observe(tool, value), config: () => config as never },
    { runId: 'r1', caller: owner, api, apiNow: () => api, grants },
  )
  const run = codeMode.run(
    {
      owner: 'owner',
      code: code(server.at('127.0.0.1'), join(folder, 'data/new')),
      isTypeScript: false,
      isChecked: false,
      api,
      timeoutMs: 30_000,
      memoryBytes: 32 * megabytes,
      cpuQuota: 1,
      context: null,
      ...clockAndSeed(grants, 'r1', 0),
    },
    { call: (...given) => reach.call(...given), log: () => {} },
  )
  expect(await run.ended).toMatchObject({
    isFine: true,
    result: {
      answer: [true, 200, 'yes', [1]],
      tool: { title: 'It breaks' },
      read: 'text',
      listed: [
        { name: 'new', type: 'file' },
        { name: 'old', type: 'file' },
      ],
      year: 1970,
      elsewhere: ['security', 'CAPABILITY_VIOLATION', 'This code may not call 10.0.0.'],
      beyond: ['security', 'CAPABILITY_VIOLATION', 'This code may not call github.'],
      secret: ['security', 'CAPABILITY_VIOLATION', 'This code may not reach /etc/p'],
    },
  })
  expect(reach.reached()).toEqual({ [`127.0.0.1:${server.port}`]: 1 })
  expect(server.seen).toMatchObject([{ method: 'POST', body: 'hello', headers: { 'x-a': 'b' } }])
})
