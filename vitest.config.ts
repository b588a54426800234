import { defineConfig } from 'vitest/config'
import { ReportSkipped } from './packages/testkit/src/needs/report-skipped.ts'

const TESTS = ['{packages,examples}/*/test/**/*.test.ts', '{lab,test}/**/*.test.ts']

/**
 * Files that share processes: to import the server takes more than a second in each new one. Three groups, so that no
 * process comes to hold more than about 1 GB. Left out by name is what measures the memory or timers of its process.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  units: [
    'packages/contract/test/*.test.ts',
    'packages/dashboard/test/unit/*.test.ts',
    'packages/server/test/unit/!(bounded-buffer).test.ts',
  ],
  executions: ['packages/server/test/executions/!(settlement-faults).test.ts'],
  http: ['packages/server/test/http/!(connections).test.ts'],
  'other parts of the server': ['packages/server/test/{database,dispatch,model}/*.test.ts'],
  'other packages': [
    'packages/{cli,demo-model,sdk,testkit}/test/**/*.test.ts',
    'lab/test/!(smoke).test.ts',
    'examples/shop/test/{capabilities,orders,search,server,sessions}.test.ts',
  ],
}

const shared = {
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'], externalConditions: ['@svc/source'] } },
}
const limits = { testTimeout: 20_000, hookTimeout: 30_000 }
const groups = Object.entries(TOGETHER).map(([name, include]) => ({
  ...shared,
  test: { ...limits, name, include: [...include], isolate: false },
}))

export default defineConfig({
  ...shared,
  test: {
    reporters: ['default', new ReportSkipped()],
    globalSetup: ['packages/testkit/src/needs/setup.ts'],
    maxWorkers: 3,
    projects: [
      // Projects run in the order of their names: the longest files are in this one, and run first.
      {
        ...shared,
        test: { ...limits, name: 'a process each', include: TESTS, exclude: Object.values(TOGETHER).flat() },
      },
      ...groups,
    ],
  },
})
