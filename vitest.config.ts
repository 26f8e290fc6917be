import { defineConfig } from 'vitest/config'

// One suite, one project; scripts/test.ts gives each its minutes.
const suite = (name: string, include: string[], options: object = {}) => ({
  test: {
    name,
    include,
    globalSetup: ['test/support/postgres-for-all.ts', 'test/support/docker-for-all.ts'],
    ...options,
  },
})

export default defineConfig({
  test: {
    projects: [
      suite(
        'unit',
        ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/layers.test.ts', 'test/{house,support}/**/*.test.ts'],
        {
          testTimeout: 20_000,
          maxWorkers: 2,
        },
      ),
      suite('system', ['test/system/**/*.test.ts'], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        fileParallelism: false,
      }),
      suite('workspaces', ['test/workspaces/**/*.test.ts'], {
        testTimeout: 120_000,
        hookTimeout: 120_000,
        fileParallelism: false,
      }),
      suite('browser', ['test/browser/**/*.test.ts'], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        maxWorkers: 2,
        // What a page shows comes when it comes: two products and two browsers share the machine.
        expect: { poll: { timeout: 15_000 } },
      }),
      suite('agents', ['test/real-agents/**/*.test.ts'], {
        testTimeout: 180_000,
        maxWorkers: 2,
        globalSetup: [
          'test/support/postgres-for-all.ts',
          'test/support/docker-for-all.ts',
          'test/real-agents/setup.ts',
        ],
      }),
      suite('tools', ['test/tools/**/*.test.ts'], {
        testTimeout: 120_000,
        hookTimeout: 120_000,
        fileParallelism: false,
        globalSetup: ['test/support/postgres-for-all.ts', 'test/tools/setup.ts'],
      }),
      suite('faults', ['test/faults/**/*.test.ts'], {
        testTimeout: 300_000 * Math.max(1, Number(process.env['ROUNDS'] ?? 0) / 30),
        fileParallelism: false,
      }),
    ],
  },
})
