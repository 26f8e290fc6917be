import { count } from './page.ts'

const everyAgent = 'Every agent'

export const policyStrings = {
  agents: 'By agent',
  agentsHint: 'What happens when no rule is about it.',
  noAgents: 'No agent is registered yet. In Agents you add one.',
  policyOf: (name: string) => `Policy of ${name}`,
  policy: { ask: 'Ask me', reads: 'Let it look', all: 'Let it do all', deny: 'Refuse all' },
  policyMeans: {
    ask: 'Everything is asked.',
    reads: 'What only looks passes; everything else is asked.',
    all: 'Everything passes but questions to you.',
    deny: 'Everything is refused.',
  },
  allTitle: (name: string) => `Let ${name} do everything?`,
  allText:
    'Every tool that it wants to use passes without a person: commands, writes, the network. Only rules that refuse or ask still hold.',
  allAct: 'Let it do all',

  rules: 'Rules',
  rulesHint:
    'They come before the policy of the agent. They are listed in the order in which they count, and there is no other: a refusal always wins, then what is said of one agent, then what is said of all, and asking comes before allowing.',
  none: 'No rule yet. Answer something in the inbox with Always, or add one here: allow what you always say yes to, refuse what must never happen.',
  add: 'New rule…',
  newRule: 'New rule',
  editRule: 'Change the rule',
  removeTitle: 'Remove this rule?',
  removeText: (sentence: string) => `${sentence} What was answered by it stays answered.`,
  removeAct: 'Remove it',
  removed: 'The rule is removed',
  gone: 'This rule was removed meanwhile. The list is up to date now.',
  fromInbox: 'from the inbox',
  byHand: 'by hand',
  effect: { allow: 'Allow', deny: 'Refuse', ask: 'Ask' },
  sentence: (effect: 'allow' | 'deny' | 'ask', who: string, tool: string, argument: string | null) => {
    const what = tool === '*' ? 'any tool' : tool
    const where = argument === null ? '' : ` with “${argument}”`
    if (effect === 'allow') return `${who} may use ${what}${where} without asking.`
    if (effect === 'deny')
      return who === everyAgent
        ? `No agent may ever use ${what}${where}.`
        : `${who} may never use ${what}${where}.`
    return `${who} must always ask before it uses ${what}${where}.`
  },
  everyAgent,
  oneAgent: 'A removed agent',
  configured: 'From the configuration file',
  configuredHint:
    'They come after all the others; of these the first that fits decides. Change them in the file.',

  what: 'What happens',
  who: 'For whom',
  tool: 'Tool',
  toolHint: 'Bash, Write, mcp__*, command',
  argument: 'Argument (empty: every one)',
  argumentHint: 'git *, src/**, https://example.com/*',
  argumentHelp:
    '* is any run of characters, \\ takes its meaning away. A * that allows never stands for ; & | < > $ or a way up.',
  submit: 'Save the rule',

  tryTitle: 'What would be answered?',
  tryHint: 'Say what an agent could want. Nothing is asked and nothing changes.',
  sample: 'A command or path, as an agent would ask for it',
  sampleHint: 'git push origin main',
  trying: 'Looking…',
  isPlace: 'It is a path or an address',
  readOnly: 'It only looks',
  verdict: {
    allow: 'It would pass without asking.',
    deny: 'It would be refused.',
    ask: 'You would be asked.',
  },
  because: {
    given: 'By this rule.',
    rule: (sentence: string) => `By the rule: ${sentence}`,
    file: (sentence: string) => `By the configuration file: ${sentence}`,
    policy: (policy: string) => `No rule is about it; the policy is “${policy}”.`,
    unclear: 'A rule may be about it, and nobody can tell from what is said here.',
  },
  total: (amount: number) => count(amount, 'rule', 'rules'),
}
