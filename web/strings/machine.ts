import { count } from './page.ts'

export const machineStrings = {
  heading: 'Machines',
  total: (amount: number) => count(amount, 'machine', 'machines'),
  state: { up: 'Live', full: 'Takes nothing', unreachable: 'Not heard of', stopped: 'Stopped' },
  failed: 'The machines could not be read',
  emptyTitle: 'No machine yet',
  emptyText:
    'A machine is where agents run. Signalbox’s own appears here as soon as its worker has started; look at its log if it does not.',
  unheard: (since: string) =>
    `Not heard of since ${since}. What it runs may go on there; it is taken up when it is back.`,
  stoppedSince: (since: string) => `Its worker was stopped ${since}. Start it again with: signalbox worker`,
  notClaiming: (reason: string) => `It takes nothing at present. ${reason}`,
  facts: {
    id: 'Id',
    version: 'Version',
    process: 'Process',
    up: 'Up for',
    seen: 'Last heard of',
    disk: 'Disk free',
    isolation: 'Kept together by',
    keepers: 'Workspaces in use',
    queued: 'Queued for it',
  },
  isolation: {
    'pid-namespace': 'a pid namespace',
    'process-group': 'a process group',
    sandbox: 'a sandbox',
    container: 'a container',
  },
  unknown: '–',
  load: 'Running',
  kind: { coding: 'Agents', tool: 'Programs', chat: 'Chats' },
  ofLimit: (live: number, limit: number) => `${live} of ${limit}`,
  drivers: 'Can enclose agents with',
  driversUnknown: (reason: string) => `Not known: ${reason}`,
  trying: 'Trying…',
  sources: 'Sources of tools',
  noSources: 'None live here.',
  sourceTools: (amount: number) => count(amount, 'tool', 'tools'),
}
