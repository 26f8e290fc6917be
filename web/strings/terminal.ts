import { count } from './page.ts'

/** The words of terminals, and of stepping into a session. */
export const terminalStrings = {
  heading: 'Terminal',
  shell: 'Shell',
  shellOf: (workspace: string) => `Shell in ${workspace}`,
  shellIn: (workspace: string) => `Open a shell in ${workspace}`,
  back: 'All workspaces',
  windows: 'Window',
  window: { agent: 'Agent', shell: 'Shell' },
  label: {
    agent: 'Terminal of the agent',
    shell: 'Shell',
  },
  leaveHint: 'Tab goes to the program. Ctrl Shift Enter leaves the terminal.',
  opening: 'Opening the terminal…',
  viewers: (amount: number) => count(amount, 'viewer', 'viewers'),
  viewersHint: 'So many look at this window. All who may type, type into the same program.',
  readOnly: 'Read only',
  watching: 'You only watch: what you type is not passed on.',
  liveView: 'A live view of the session. Take over to type in the agent’s own interface.',
  liveViewOnly: 'A live view of the session. This agent is spoken to in the conversation.',
  smaller: (cols: number, rows: number) =>
    `${cols} × ${rows}, as small as the smallest screen that it is typed on`,
  larger: (cols: number, rows: number) => `${cols} × ${rows}, larger than your screen: scroll to see all`,
  lost: 'The connection is lost: what you type now is not sent. The program goes on.',
  lostBecause: (reason: string) => `${reason.replace(/\.$/, '')}. The program goes on.`,
  unreachable: (address: string) =>
    `The terminal at ${address} cannot be reached from here. Its port has to be open for this browser, as that of this page is.`,
  retryIn: (seconds: number) =>
    seconds > 0 ? `Trying again in ${count(seconds, 'second', 'seconds')}…` : 'Trying again…',
  outdated: 'This page was loaded before that terminal was there. Load it again to open it.',
  retryNow: 'Try now',
  openAgain: 'Open again',
  failed: 'The terminal could not be started',

  find: 'Find',
  findHint: 'Find in the terminal…',
  findNext: 'Next',
  findPrevious: 'Previous',
  findClose: 'Close the search',
  found: (index: number, total: number) => `${index} of ${total}`,
  foundMany: (total: number) => `${total} found`,
  foundNone: 'Not found',

  more: 'More',
  copy: 'Copy what is selected',
  paste: 'Paste…',
  pasteKey: 'Paste',
  scrollBack: 'Scroll back',
  inTerminal: 'In a terminal',
  copyOnSelect: 'Copy what is selected at once',
  screenReader: 'Screen reader',
  watchOnly: 'Only watch',
  leave: 'Leave the terminal',
  copied: 'Copied',
  notCopied: 'The browser did not let it be copied. Try Ctrl Shift C.',
  notPasted: 'The browser does not let this page read the clipboard. Paste with the keyboard instead.',

  pasteWindow: {
    heading: (lines: number) => (lines > 1 ? `Paste ${count(lines, 'line', 'lines')}?` : 'Paste this?'),
    controls: (amount: number) =>
      `${count(amount, 'character of it is a control key', 'characters of it are control keys')}, not text.`,
    runs: 'Every line end is the Enter key: the program may run each line at once.',
    told: 'The program is told that this is pasted, so line ends are text to it.',
    isCut: (shown: string, all: string) => `The first ${shown} of ${all} characters.`,
    label: 'What will be pasted',
    submit: 'Paste',
    without: 'Paste without them',
    asItIs: 'Paste as it is',
  },
  notRead:
    'The program does not read what is pasted, so the rest of it was not passed on. Paste it again once it reads.',
  pasting: (left: string) => `Pasting, ${left} characters to go`,
  stopPasting: 'Stop',
  pastingStopped: (left: string) => `Stopped. The last ${left} characters were not pasted.`,

  keys: {
    label: 'Keys',
    esc: 'Esc',
    tab: 'Tab',
    ctrl: 'Ctrl',
    ctrlHint: 'Control: for the next key',
    left: 'Left',
    up: 'Up',
    down: 'Down',
    right: 'Right',
    paste: 'Paste',
  },

  takeOver: {
    action: 'Take over',
    working: 'Taking over…',
    heading: (agent: string) => `Take over from ${agent}?`,
    what: (agent: string) =>
      `${agent}’s own interface opens in the terminal, on this very session, and you type in it. Until you hand it back, nothing can be sent here.`,
    interrupts: 'The turn under way is interrupted.',
    expires: (amount: number) =>
      `${count(amount, 'open question expires', 'open questions expire')} unanswered.`,
    failed: (reason: string) => `Not taken over. ${reason}`,
    done: 'You have the session now.',
  },
  handBack: {
    action: 'Hand back',
    working: 'Handing back…',
    failed: (reason: string) => `Not handed back. ${reason}`,
    done: 'Handed back. What was said meanwhile is in the conversation, as far as it could be read.',
  },
  taken: (since: string) => `Taken over ${since}`,
  locked: 'A person has this session, in the agent’s own interface. Hand it back to write here.',
  toTerminal: 'Open the terminal',
}
