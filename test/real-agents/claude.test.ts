import { testAgent } from './agent-suite.ts'

testAgent('claude')
