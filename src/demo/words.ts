/** What the demo agent says. It never leaves open what it is. */
export const introduction =
  'I am the demo agent that comes with Signalbox: a script, and no model. Whatever I am asked, I do the same small job, so that you can see how work goes here. Nothing leaves this machine.'

export const notWithoutModel =
  'I am the demo agent: a script, and no model, so I cannot act on that. Say “again” and I do my small job once more. For real work, choose a real agent under Agents.'

export const refused =
  'You said no, so I have written nothing. That is all there is to it: an agent asks, you decide.'

export const written = (file: string): string =>
  `I have written ${file}, because you said yes. You see the difference under Changes, and can delete the file whenever you like. Next, give a task to a real agent: choose one under Agents.`

export const unreadable = (reason: string): string => `I cannot read this folder: ${reason}`
export const notWritten = (reason: string): string =>
  `You said yes, but the file could not be written: ${reason}`
