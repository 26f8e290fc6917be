export const settingsStrings = {
  heading: 'Settings',
  appearance: 'Appearance',
  appearanceHint: 'Kept in this browser.',
  spend: 'Tokens and dollars by day, agent and task',
  you: 'You',
  kind: { owner: 'Owner of this Signalbox', user: 'User', agent: 'Agent' },
  scopes: 'May use',
  until: (date: string) => `This browser stays logged in until ${date}.`,
  logOut: 'Log out',
}
