import { count } from './page.ts'

export const workspaceStrings = {
  heading: 'Workspaces',
  here: 'Where agents work',
  none: 'No workspace yet. One is made for every folder that an agent works in, and a worktree for every session in a repository.',
  failed: 'The workspaces could not be read',
  trash: 'In the trash',
  trashEmpty: 'The trash is empty.',
  showTrash: 'Trash',
  leaveTrash: 'Leave the trash',
  drivers: 'What can enclose them here',
  driversHint:
    'Each was really tried on its machine. What does not work is never replaced by something weaker.',
  driversUnknown: 'What works here could not be found out',
  trying: 'Trying what works here…',
  works: 'Works',
  doesNotWork: 'Does not work',
  lacks: (what: string) => `Without ${what}:`,
  driver: { folder: 'Folder', sandbox: 'Sandbox', docker: 'Container' },
  what: {
    folder: 'A folder of this machine. Its agents can do what you can, but for Signalbox’s own keys.',
    sandbox:
      'A clone of its own behind bubblewrap: no network but what is let out, nothing else of the machine.',
    docker:
      'A clone of its own in a container: no network but what is let out, memory, processor and processes limited.',
  },
  state: {
    new: 'Not yet prepared',
    preparing: 'Being prepared',
    ready: 'Ready',
    failed: 'Failed',
    trashed: 'In the trash',
  },
  running: 'In use',
  reaches: (egress: string | string[]) =>
    egress === 'none'
      ? 'reaches nothing'
      : egress === 'model'
        ? 'reaches its model alone'
        : egress === 'open'
          ? 'reaches everything'
          : `reaches ${count(egress.length, 'host', 'hosts')}`,
  used: (when: string) => `used ${when}`,
  changes: 'Changes',
  changesOf: (name: string) => `Changes in ${name}`,
  change: {
    added: 'added',
    modified: 'changed',
    deleted: 'deleted',
    renamed: 'renamed',
    untracked: 'new',
  },
  retrying: 'Trying again…',
  preview: 'Preview',
  remove: 'Move to trash',
  removeOne: (name: string) => `Remove ${name}`,
  forget: 'Forget',
  restore: 'Restore',
  trashed: (name: string) => `${name} is gone from here`,
  undo: 'Undo',
  notDone: (reason: string) => `That did not work. ${reason}`,
  make: 'New workspace…',
  newOne: 'New workspace',
  making: 'Making it…',
  submit: 'Make it',
  made: (name: string) => `${name} is there`,
  name: 'Name',
  walls: 'What encloses it',
  folder: 'Folder',
  folderHint: '/home/me/project',
  repository: 'Repository to clone (empty: begins with nothing)',
  repositoryHint: 'https://host/repository.git',
  image: 'Image',
  imageHint: 'The one that is configured',
  goesOut: 'What it may reach',
  egress: { model: 'Its model alone', none: 'Nothing', open: 'Everything', list: 'Only these hosts' },
  hosts: 'Hosts',
  hostsHint: 'registry.npmjs.org *.github.com',
}
