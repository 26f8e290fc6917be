import { count } from './page.ts'

/** What Home says before its parts are there. */
export const homeStrings = {
  working: 'working',
  queued: (amount: number) => `${amount} queued`,
  waits: (amount: number) => (amount === 1 ? 'waits for you' : 'wait for you'),
  failed: 'failed',
  succeeded: 'done',
  withinADay: 'in 24 hours',
  unread: (reason: string) => `What moves could not be read. ${reason}`,
}

export const homePanelStrings = {
  waits: 'Waits for you',
  nothingWaits: 'Nothing waits for you.',
  moreWait: (amount: number) => `${count(amount, 'more waits', 'more wait')} in the Inbox`,
  failures: 'Went wrong',
  failuresHint: 'in 24 hours, and nobody has gone on',
  nothingFailed: 'Nothing failed in 24 hours.',
  moreFailed: (amount: number) => `${count(amount, 'more', 'more')} among the sessions`,
  machines: 'Machines',
  allMachines: 'All machines',
  live: (live: number, limit: number) => `${live} of ${limit} running`,
  free: (size: string) => `${size} free`,
  spend: 'Spend',
  today: 'today',
  allSpend: 'All spend',
  lastDays: (days: number) => `Last ${days} days`,
  failed: (reason: string) => `This could not be read. ${reason}`,
  notifyOn: 'Notifications are on',
  notifyOff: 'Notify me when something waits',
}
