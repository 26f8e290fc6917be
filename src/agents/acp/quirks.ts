/** Where an agent departs from what the protocol says or leaves open, by the name that it gives itself. */
export interface Quirks {
  /** It tells a change of its mode as a message. */
  saysModeAsText: boolean
  /** The first title of a tool call is the tool's name. */
  titleIsToolName: boolean
  /** The id of a tool call begins with the tool's name. */
  idHasToolName: boolean
  /** What it loads within the minute in which that began, it destroys. */
  forgetsWithinMinute: boolean
  /** What to do when it is not logged in. */
  login: string | undefined
}

const none: Quirks = {
  saysModeAsText: false,
  titleIsToolName: false,
  idHasToolName: false,
  forgetsWithinMinute: false,
  login: undefined,
}

const known: Record<string, Partial<Quirks>> = {
  'gemini-cli': {
    saysModeAsText: true,
    idHasToolName: true,
    forgetsWithinMinute: true,
    login: 'run `gemini` in a terminal and log in, or let it have GEMINI_API_KEY',
  },
  OpenCode: { titleIsToolName: true, login: 'run `opencode auth login` in a terminal' },
  '@agentclientprotocol/claude-agent-acp': {
    login: 'run `claude /login` in a terminal, or let it have ANTHROPIC_API_KEY',
  },
  '@agentclientprotocol/codex-acp': {
    login: 'run `codex login` in a terminal, or let it have OPENAI_API_KEY',
  },
}

export const quirksOf = (agentName: string | undefined): Quirks => ({
  ...none,
  ...(agentName !== undefined && Object.hasOwn(known, agentName) ? known[agentName] : {}),
})
