export const dangerStrings = {
  title: { 2: 'This is dangerous', 3: 'This is destructive' },
  text: {
    2: 'It can change or break things. Look at what is going to happen before you begin it.',
    3: 'What it does cannot be taken back.',
  },
  banner: 'It can destroy what you cannot get back',
  happens: 'What is going to happen',
  type: (name: string) => `Write “${name}” to go on`,
  go: 'Run it now',
  ask: 'Ask for a yes',
  askHint: 'Ask for a yes: it then waits in the inbox until somebody allows it.',
  cancel: 'Cancel',
}
