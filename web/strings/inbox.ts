import { count } from './page.ts'

export const inboxStrings = {
  heading: 'Inbox',
  total: (amount: number) => count(amount, 'waits', 'wait'),
  more: (amount: number) => `${count(amount, 'more waits', 'more wait')}: answer these first.`,
  emptyTitle: 'Nothing waits for you',
  emptyText:
    'Before an agent does something that needs your yes, or when it has a question, it waits here until you answer. Answer with one key: y allows, n refuses, a allows always.',
  emptyLink: 'See what agents are doing',
  failed: 'What waits could not be read',
  today: 'Answered today',
  byRules: (amount: number) => `${amount} more by rules`,
  session: 'Session',
  ownCode: (run: string, position: number, total: number) =>
    total > 1 ? `runs code ${run}, ${position} of its ${total} questions` : `runs code ${run}`,
  keys: 'from one to the next',
}
