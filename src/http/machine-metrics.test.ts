import { expect, it } from 'vitest'
import { joinMetrics } from './machine-metrics.ts'

it('describes a figure once, whichever machines have it', () => {
  const of = (machine: string) =>
    `# HELP calls Calls\n# TYPE calls counter\ncalls{machine="${machine}"} 1\n\n# HELP open Open\n# TYPE open gauge\nopen{machine="${machine}"} 2\n`
  expect(joinMetrics([of('a'), of('b'), ''])).toBe(
    [
      '# HELP calls Calls',
      '# TYPE calls counter',
      'calls{machine="a"} 1',
      'calls{machine="b"} 1',
      '# HELP open Open',
      '# TYPE open gauge',
      'open{machine="a"} 2',
      'open{machine="b"} 2',
      '',
    ].join('\n'),
  )
})
