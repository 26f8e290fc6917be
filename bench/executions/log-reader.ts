// One reader of one log in a process of its own. Counts what arrives; a live log must also say that it is done.
import { get } from 'node:http'

const [url = '', token = '', bytes = '0'] = process.argv.slice(2)
const live = url.endsWith('/stream')
const started = performance.now()
get(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
  let received = 0
  let end = ''
  response.on('data', (data: Buffer) => {
    received += data.length
    end = (end + data.subarray(-200).toString('latin1')).slice(-200)
  })
  response.on('end', () => {
    const seconds = (performance.now() - started) / 1000
    const complete = received >= Number(bytes) && (!live || end.includes('event: done'))
    process.send?.({ seconds, complete }, () => process.disconnect())
  })
})
