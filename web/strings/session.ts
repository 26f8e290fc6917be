import { count } from './page.ts'

export const sessionStrings = {
  heading: 'Sessions',
  session: 'Session',
  emptyTitle: 'Nothing has run yet',
  emptyText:
    'Whatever agents do appears here, live and for good: what they were asked, what they wrote, and how it ended. Start one from a terminal:',
  emptyCommand: 'signalbox run "what to do" --agent NAME',
  failed: 'The sessions could not be read',
  unread: 'This session could not be read',
  gone: 'This session is not there',
  goneText: 'It may have been deleted, or it is somebody else’s.',
  nothingRan: 'Nothing has run in this session yet',
  nothingRanText: 'It is open, but its agent has not been asked for anything.',
  back: 'All sessions',
  turns: 'Turns',
  turn: (number: number) => `Turn ${number}`,
  earlier: 'Show earlier turns',
  turnsWord: (amount: number) => (amount === 1 ? 'turn' : 'turns'),
  columns: {
    status: 'Status',
    title: 'Session',
    who: 'Agent and model',
    turns: 'Turns',
    cost: 'Cost',
    begun: 'Begun',
  },
  underCent: '< $0.01',
  notStarted: 'Not started',
  total: (amount: number) => count(amount, 'session', 'sessions'),
}
