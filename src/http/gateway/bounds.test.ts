import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { connect, openChatRoom, openWeb } from '../../../test/support/gateway.ts'

const patience = { timeout: 20_000, interval: 10 }

/** A client that says whatever it likes, and need not read. */
async function rawly(host: string) {
  const socket = new WebSocket(`ws://${host}/socket.io/?EIO=4&transport=websocket`)
  onTestFinished(() => socket.terminate())
  const heard: string[] = []
  let isCut = false
  socket.on('error', () => undefined)
  socket.on('close', () => (isCut = true))
  socket.on('message', (data: Buffer) => heard.push(data.toString('utf8')))
  await once(socket, 'message')
  return {
    socket,
    heard,
    send: (text: string) => new Promise<unknown>((resolve) => socket.send(text, resolve)),
    async cut(): Promise<void> {
      await expect.poll(() => isCut, patience).toBe(true)
    },
    async hears(text: string): Promise<void> {
      await expect.poll(() => heard.some((one) => one.includes(text)), patience).toBe(true)
    },
  }
}

test('whoever goes on talking and does not read is let go', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const deaf = await rawly(web.host)
  await deaf.send(`40${JSON.stringify({ token: room.token })}`)
  await deaf.hears('system:ready')
  await expect.poll(() => web.streams.readers, patience).toBe(2)
  deaf.socket.pause()
  const many = Array.from({ length: 1_000 }, () => `421["${'x'.repeat(100)}"]`)
  for (let round = 0; round < 60 && web.streams.readers > 0; round++) await Promise.all(many.map(deaf.send))
  await expect.poll(() => web.streams.readers, patience).toBe(0)
})

test('there is one door, and it is knocked at once', async () => {
  const room = await openChatRoom()
  const { host } = await openWeb(room)
  const knock = `40${JSON.stringify({ token: room.token })}`
  const [elsewhere, twice] = [await rawly(host), await rawly(host)]
  await elsewhere.send('40/elsewhere,')
  await elsewhere.cut()
  expect(elsewhere.heard).toHaveLength(1)
  await Promise.all([twice.send(knock), twice.send(knock)])
  await twice.cut()
  expect(twice.heard).toHaveLength(1)
})

test('not much is kept of what is said before anybody is let in', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const long = { text: 'x'.repeat(900_000) }
  const said = await room.pool.transaction(async (tx) => {
    await tx.$client.query('lock table tokens in access exclusive mode') // nobody is let in until this is over
    const client = connect(web.url, { token: room.token })
    const early = [long, long].map((body) => client.say('message', body))
    const tooMuch = await Promise.all([long, long].map((body) => client.say('message', body)))
    expect(tooMuch.map(({ error }) => error?.code)).toEqual(['too_many_calls', 'too_many_calls'])
    // What fits nothing takes no room, however long it is.
    const odd = Array.from({ length: 20 }, () => client.say('message', { ['y'.repeat(1_000_000)]: 1 }))
    return { early, odd }
  })
  const [heard, refused] = [await Promise.all(said.early), await Promise.all(said.odd)]
  for (const { executionId } of heard) expect(executionId).toEqual(expect.any(String))
  for (const { error } of refused) {
    expect(error).toMatchObject({ code: 'does_not_fit' })
    expect(error.message.length).toBeLessThanOrEqual(500)
  }
})
