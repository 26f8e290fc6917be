import type { ToolQuestion } from '#flows/ask-tool-approval.ts'

/** A call that a person has to say yes to first. Nothing of it was done, and the code knows nothing of it. */
export class AwaitsPerson extends Error {
  readonly question: ToolQuestion

  constructor(question: ToolQuestion) {
    super('A person has to be asked first')
    this.name = 'AwaitsPerson'
    this.question = question
  }
}
