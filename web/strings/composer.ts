export const composerStrings = {
  label: (agent: string) => `Message to ${agent}`,
  hint: (agent: string) => `Tell ${agent} what to do next…`,
  send: 'Send',
  sending: 'Sending…',
  whileLive: 'It is at work: your message steers it, or waits for the end of its turn.',
  whileOver: 'Enter sends, Shift+Enter begins a new line.',
  interrupt: 'Interrupt',
  interrupting: 'Interrupting…',
  notSent: (reason: string) => `Not sent. ${reason}`,
  notInterrupted: (reason: string) => `Not interrupted. ${reason}`,
  mayNot: 'You may read this session, but not write in it.',
  gone: 'Its agent is gone: nobody is left to hear you.',
}
