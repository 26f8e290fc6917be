import { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { Problem } from '#domain/problem.ts'
import type { PreviewPage } from './preview-pages.ts'
import { AppBrokeOff } from './preview-proxy.ts'

/** What the worker tells of an app that does not answer. */
const AppTold = z.object({ app: z.object({ state: z.string(), said: z.string() }) })

/** What a browser sees when there is no answer of the app. */
export function failurePage(error: unknown, principal?: Principal): PreviewPage {
  if (error instanceof Problem && error.code === 'app_not_up') return appPage(error, principal)
  if (error instanceof Problem)
    return { status: 502, title: 'The workspace cannot be reached', lines: [error.message] }
  if (isDatabaseAway(error))
    return {
      status: 503,
      title: 'Signalbox is busy',
      lines: ['Its database is away for the moment.'],
      again: true,
    }
  if (error instanceof AppBrokeOff)
    return {
      status: 502,
      title: 'The app broke off',
      lines: ['It closed the connection before it had answered, or answered in a way that is not HTTP.'],
    }
  return { status: 500, title: 'Something went wrong', lines: ['It is on our side, and in the log.'] }
}

function appPage({ message, context }: Problem, principal?: Principal): PreviewPage {
  const { state, said } = AppTold.safeParse(context).data?.app ?? { state: 'none', said: '' }
  if (state === 'starting')
    return {
      status: 502,
      title: 'The app is starting',
      lines: ['It does not answer yet. This page looks again by itself.'],
      again: true,
      said: forOwner(said, principal),
    }
  const why: Record<string, string> = {
    failing: 'It ends again and again soon after it was started, and is still tried.',
    stopped: 'It was stopped. Start it in Signalbox, or open the preview again.',
    none: 'This workspace has no app that could be started: start what should answer here yourself.',
  }
  return {
    status: 502,
    title: 'The app does not answer',
    lines: [message, why[state] ?? 'It runs, and does not listen on its port.'],
    said: forOwner(said, principal),
  }
}

/** What an app says may be more than its users should read. */
const forOwner = (said: string, principal?: Principal) => (principal?.kind === 'owner' ? said : undefined)
