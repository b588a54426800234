import { defineConfig } from 'vitest/config'
import { ReportSkipped } from './packages/testkit/src/needs/report-skipped.ts'

const TESTS = ['{packages,examples}/*/test/**/*.test.ts', '{lab,test}/**/*.test.ts']

/**
 * Files that share processes: to import the server takes more than a second in each new one. Several groups, so that no
 * process comes to hold more than about 1 GB. Left out by name is what measures the memory or timers of its process.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  units: [
    'packages/contract/test/*.test.ts',
    'packages/dashboard/test/unit/*.test.ts',
    'packages/server/test/unit/!(bounded-buffer).test.ts',
  ],
  executions: ['packages/server/test/{approvals,deletions,executions}/!(settlement-faults).test.ts'],
  http: ['packages/server/test/http/!(connections).test.ts'],
  'other parts of the server': ['packages/server/test/{dispatch,mcp,model,store,webhooks}/*.test.ts'],
  'other packages': [
    'packages/{cli,demo-model,sdk}/test/**/*.test.ts',
    'packages/testkit/test/!(lend-page).test.ts',
    'packages/dashboard/test/{entry-size,schema}.test.ts',
    'packages/widget/test/{approval-states,client,conversation,markdown,poll,recovery,resume,size,svc-output,with-service}.test.ts',
    'lab/test/!(smoke).test.ts',
    'examples/*/test/!(*.browser).test.ts',
  ],
  'pages in a browser': [
    'packages/dashboard/test/*.browser.test.ts',
    'packages/widget/test/{approval-card,approvals,cards-page,demo-line,element,element-states,feedback}.test.ts',
    'packages/widget/test/{hostile,launcher,react,render-output,resume-page,settings,sign-in}.test.ts',
    'packages/testkit/test/lend-page.test.ts',
    'examples/*/test/page.browser.test.ts',
  ],
  'the whole tree': ['test/!(published-packages).test.ts', 'test/docs/!(samples).test.ts'],
  'a server as a program': ['packages/server/test/process/!(answer-thread|schema-threads).test.ts'],
}

/** Programs and browsers take a second to start where the machine is free, and many where it is not. */
const SLOW = { testTimeout: 120_000, hookTimeout: 120_000 }
const LIMITS: Readonly<Record<string, typeof SLOW>> = {
  // They run first, while every process starts.
  'a process each': SLOW,
  'other packages': { testTimeout: 60_000, hookTimeout: 60_000 },
  'a server as a program': SLOW,
  'pages in a browser': SLOW,
  'the whole tree': SLOW,
}

const shared = {
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'], externalConditions: ['@svc/source'] } },
}
// A poll ends as soon as it is met: the library’s limit of one second is short of what a busy machine needs.
const limits = { testTimeout: 20_000, hookTimeout: 30_000, expect: { poll: { timeout: 20_000 } } }
const groups = Object.entries(TOGETHER).map(([name, include]) => ({
  ...shared,
  test: { ...limits, ...LIMITS[name], name, include: [...include], isolate: false },
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
        test: {
          ...limits,
          ...LIMITS['a process each'],
          name: 'a process each',
          include: TESTS,
          exclude: Object.values(TOGETHER).flat(),
        },
      },
      ...groups,
    ],
  },
})
