import type { IncomingMessage } from 'node:http'
import { Problem } from '#domain/problem.ts'
import { checkCaller, preflightAnswer, tellOrigin } from '../guards.ts'
import type { GuardSettings } from '../guards.ts'
import { statusOf } from '../problems.ts'
import { tellBrowser } from '../response-headers.ts'

/** What a request is told before the gateway looks at it; with a status that is all. */
export interface Door {
  headers: Headers
  refused?: { status: number; body: string }
}

const path = '/socket.io/'

/** The same door as of every other request: are we called by our name, and may the caller's page call us? */
export function passDoor({ method = 'GET', headers, socket }: IncomingMessage, now: GuardSettings): Door {
  const { host, origin } = headers
  const answer = new Headers()
  tellBrowser(answer, path, now.publicUrl)
  tellOrigin(answer, origin, now.cors)
  const [fetchSite, fetchMode] = [one(headers['sec-fetch-site']), one(headers['sec-fetch-mode'])]
  try {
    const port = socket.localPort ?? now.port
    checkCaller({ method, path, host, origin, fetchSite, fetchMode }, { ...now, port })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, message } = error
    answer.set('Content-Type', 'application/json')
    return {
      headers: answer,
      refused: { status: statusOf[code], body: JSON.stringify({ error: { code, message } }) },
    }
  }
  if (method !== 'OPTIONS') return { headers: answer }
  for (const [name, value] of Object.entries(preflightAnswer)) answer.set(name, value)
  return { headers: answer, refused: { status: 204, body: '' } }
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value
