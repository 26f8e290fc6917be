const plural = new Intl.PluralRules('en')
export const count = (amount: number, one: string, many: string) =>
  `${amount.toLocaleString('en')} ${plural.select(amount) === 'one' ? one : many}`

/** What a person reads before any room is there. Each room's words are a file beside this one; another language is a folder of the same shapes. */
export const strings = {
  product: 'Signalbox',
  unreachable: 'Signalbox does not answer. Is it still running?',
  unreadable: (status: number) => `Signalbox answered with ${status} and nothing readable.`,
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  loading: 'Loading…',
  none: 'None',

  rooms: {
    home: 'Home',
    board: 'Board',
    inbox: 'Inbox',
    sessions: 'Sessions',
    agents: 'Agents',
    tools: 'Tools',
    workspaces: 'Workspaces',
    machines: 'Machines',
    settings: 'Settings',
  },
  waiting: (amount: number) => count(amount, 'question waits for you', 'questions wait for you'),
  skipToContent: 'Skip to content',
  mainNavigation: 'Rooms',
  live: { live: 'Live', opening: 'Connecting', lost: 'Connection lost' },
  lostBanner: 'Connection lost. What you see may be old; it heals by itself as soon as Signalbox answers.',

  broken: {
    heading: 'Something broke here',
    text: 'The page could not go on. Loading it again usually helps; nothing that was saved is lost.',
    outdated: 'Signalbox has been updated',
    outdatedText:
      'This page is older than the Signalbox that answers it. Load it again to go on where you were.',
    reload: 'Reload',
  },

  login: {
    heading: 'Log in to this Signalbox',
    whereHeading: 'Where is my token?',
    whereLine: 'In the line that npm start prints: open that address and you are in.',
    whereFile:
      'Or in the file “token” of Signalbox’s home on the machine that runs it: ~/.signalbox, unless SIGNALBOX_HOME says otherwise.',
    field: 'Token',
    stranger:
      'Signalbox was not let in: nobody is logged in here in this browser. Log in, then open Tools and let it in again.',
    submit: 'Log in',
    checking: 'Logging in…',
    refused: 'This token is not accepted. It may be from another Signalbox, or has been replaced.',
  },

  themes: { system: 'System', dark: 'Dark', light: 'Light' },
  themeAction: { system: 'Use the system’s theme', dark: 'Use the dark theme', light: 'Use the light theme' },

  palette: {
    open: 'Find or do anything',
    short: 'Find',
    placeholder: 'Find anything, or do something…',
    actions: 'Actions',
    tasks: 'Tasks',
    newTask: 'New task',
    newTaskCalled: (title: string) => `New task “${title}”`,
    go: (room: string) => `Go to ${room}`,
    keys: 'Show the keys',
    setting: (section: string) => `Settings: ${section}`,
    askAgent: 'Ask…',
    nothing: 'Nothing found',
    searching: 'Searching…',
  },

  status: {
    todo: 'To do',
    in_progress: 'In progress',
    blocked: 'Blocked',
    done: 'Done',
    cancelled: 'Cancelled',
  },
  signal: {
    idle: 'Idle',
    blocked: 'Blocked',
    done: 'Done',
    cancelled: 'Cancelled',
    queued: 'Queued',
    moving: 'Running',
    waits: 'Waits for you',
    failed: 'Failed',
    ended: 'Turn over',
  },
  priority: { low: 'Low', medium: 'Medium', high: 'High', critical: 'Critical' },
  changes: (files: number, additions: number, deletions: number) =>
    `${count(files, 'file', 'files')} changed: ${count(additions, 'line', 'lines')} added, ${deletions} removed`,
  priorityLabel: (priority: string) => `${priority} priority`,

  board: {
    heading: 'Board',
    newTask: 'New task',
    filter: 'Filter',
    allAgents: 'All agents',
    clearFilters: 'Clear filters',
    showCancelled: 'Show cancelled',
    hideCancelled: 'Hide cancelled',
    column: (name: string, total: number) => `${name}, ${count(total, 'task', 'tasks')}`,
    quickAdd: (column: string) => `New task in ${column}`,
    quickAddHint: 'What needs doing?',
    quickAddKeys: 'Enter adds, Esc ends',
    moveTo: 'Move to…',
    moreOf: (title: string) => `Move “${title}” to…`,
    top: 'Top of the column',
    bottom: 'Bottom of the column',
    refusedColumn: (from: string, allowed: string) => `From ${from} a task can go to ${allowed}`,
    subtask: 'Subtask',
    subtaskOf: (title: string) => `Subtask of ${title}`,
    dependencies: (amount: number) => `Depends on ${count(amount, 'other task', 'other tasks')}`,
    emptyTitle: 'Put the first task on the board',
    emptyText:
      'A task is one thing that should be done, in a sentence. You can add details, subtasks and an agent later.',
    nothingFitsTitle: 'No task fits this filter',
    nothingFitsText: 'Nothing on the board has these words or this agent.',
    failed: 'The board could not be read',
    emptyColumn: {
      todo: 'Nothing to do',
      in_progress: 'Nothing in progress',
      blocked: 'Nothing is blocked',
      done: 'Nothing done yet',
      cancelled: 'Nothing cancelled',
    },
    moved: (title: string, column: string, place: number, total: number) =>
      `${title}: ${column}, ${place} of ${total}`,
    movedByOther: (title: string, column: string) => `${title} was moved to ${column}`,
    cannotMove: (title: string, reason: string) => `“${title}” was not moved. ${reason}`,
    notChanged: (title: string, reason: string) => `“${title}” was not changed. ${reason}`,
    added: (title: string, column: string) => `Added “${title}” at the end of ${column}`,
    open: 'Open',
    turns: (amount: number) => count(amount, 'turn', 'turns'),
    startWith: 'Start with…',
    startWithOne: (agent: string) => `Start with ${agent}`,
    dropToStart: 'Drop on an agent to start it',
    noAgents: 'No agent can be asked yet. Add one under Agents.',
    started: (agent: string, title: string) => `${agent} is asked to work on “${title}”`,
    notStarted: (agent: string, reason: string) => `${agent} was not started. ${reason}`,
    openSession: 'Open session',
  },

  task: {
    assignee: 'Agent',
    backToBoard: 'Back to the board',
  },

  notFound: { heading: 'There is nothing here', text: 'This address leads to no room.' },
}
