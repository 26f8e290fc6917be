import { isLoopback } from './loopback.ts'

/**
 * Where the terminal of a machine listens. For others web passes everything on, from the same machine; only where somebody has said that browsers
 * reach the terminal by an address of its own (TERMINAL_URL) is there a reason to be reached from elsewhere.
 */
export const terminalHost = (host: string, url: string | null | undefined): string =>
  isLoopback(host) || typeof url === 'string' ? host : '127.0.0.1'
