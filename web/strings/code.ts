import { count } from './page.ts'

const amount = (number: number) => number.toLocaleString('en')

/** The words of the place where code is written that calls tools. */
export const codeStrings = {
  title: 'Playground',
  opening: 'Opening the editor…',
  editor: 'Code',
  run: 'Run',
  running: 'Running…',
  cancel: 'Cancel',
  clear: 'Clear',
  cleared: 'The code is gone',
  undo: 'Undo',
  examples: 'Examples',
  hint: 'TypeScript that calls your tools as mcp.source.tool({…}). What it returns is its result. It stays in this browser until you clear it.',
  mayNot: 'You may not run code here. The owner of this Signalbox can give you the scope “code”.',
  apiFailed: (reason: string) => `What can be called could not be read. ${reason}`,

  outcome: 'Outcome',
  nothingYet: 'Nothing has run yet',
  nothingYetText:
    'Write code, or begin with an example, and run it. Logs, the result and what it cost appear here.',
  status: {
    running: 'Running',
    waiting: 'Waits for you',
    succeeded: 'Succeeded',
    failed: 'Failed',
    cancelled: 'Cancelled',
    cancelling: 'Cancelling…',
  },
  waits: 'It goes on when you have answered. You may leave: it waits.',
  notBegun: (reason: string) => `Not run. ${reason}`,
  lost: 'The connection was lost, and with it the run: what nobody listens to is cancelled. Run it again.',
  result: 'Result',
  returnedNothing: 'It returned nothing.',
  logs: 'Logs',
  noLogs: 'It logged nothing.',
  leftOut: (lines: number) => `The first ${count(lines, 'line is', 'lines are')} not shown.`,
  error: 'What went wrong',
  atLine: (line: number) => `Line ${line}`,
  allow: (capability: string) => `Allow ${capability} and run again`,
  copy: 'Copy',
  copyResult: 'Copy the result as JSON',
  copied: 'Copied',

  metrics: {
    title: 'What it took',
    executionTime: 'Time',
    cpuTime: 'CPU',
    memoryUsed: 'Memory',
    apiCalls: 'Calls',
  },
  tokens: {
    title: 'Tokens saved',
    saved: (saved: number, percent: number) => `${amount(saved)} of each prompt (${percent} %)`,
    none: 'None yet: with few tools, listing them costs less.',
    text: (tools: number, listed: number, code: number) =>
      `Listed in full, ${count(tools, 'tool takes', 'tools take')} ${amount(listed)} tokens before anything is asked. With code a model reads ${amount(code)}, and finds the rest when it needs it.`,
    counted: (encoding: string) => `Counted by ${encoding}; other models count about the same.`,
    counting: 'Counting…',
  },

  reach: {
    button: (summary: string) => `May reach: ${summary}`,
    title: 'What this code may reach',
    nothing: 'nothing',
    tools: 'Tools',
    allTools: 'all tools',
    someTools: (sources: number) => `tools of ${count(sources, 'source', 'sources')}`,
    noTools: 'None',
    all: 'All that you may call',
    some: 'Only those of',
    network: 'Network',
    networkHint: 'One host on a line: api.example.com, *.example.com, host:8443',
    hosts: (number: number) => count(number, 'host', 'hosts'),
    files: 'Files',
    filesHint: 'One path on a line; src:rw may be written as well',
    paths: (number: number) => count(number, 'path', 'paths'),
    session: 'Of the workspace of',
    noSession: 'No session: paths of the machine',
    time: 'The real time and real chance',
    timeHint: 'Without it the clock stands still, and random numbers are the same each time.',
    clock: 'clock',
  },

  tree: {
    entries: (number: number) => count(number, 'entry', 'entries'),
    fields: (number: number) => count(number, 'field', 'fields'),
    more: (number: number) => `Show ${amount(number)} more`,
    whole: 'Show all of it',
  },

  phrases: {
    Diagnostics: 'What is wrong',
    'No diagnostics': 'Nothing is wrong',
    Completions: 'What can come next',
    'current match': 'the one that is chosen',
  },

  example: {
    board: 'Count the tasks of the board',
    together: 'Several calls at once',
    write: 'Put tasks on the board',
    logs: 'Log while it runs',
    network: 'Fetch something from the network',
  },
}
