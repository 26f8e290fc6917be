import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens and answers with the port. Ends the process with a plain word when the address cannot be had. */
export function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  variable = 'PORT',
): Promise<number> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE'
          ? `another program already listens on ${host}:${port}. Set ${variable} to a free one`
          : error.code === 'EACCES'
            ? `this user may not listen on port ${port}. Set ${variable} to one above 1023`
            : `it cannot listen on ${host}:${port}: ${error.message}`
      process.stderr.write(`Signalbox cannot serve: ${reason}\n`)
      process.exit(1)
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}
