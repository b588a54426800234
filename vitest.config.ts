import { defineConfig } from 'vitest/config'
import { ReportSkipped } from './packages/testkit/src/needs/report-skipped.ts'

const TESTS = ['{packages,examples}/*/test/**/*.test.ts', '{lab,test}/**/*.test.ts']

/**
 * Files that share processes: to start one and to import the server takes seconds. Left out by name is what measures the
 * memory or timers of its process, or is long: those files have a process each, and run first.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  'in shared processes': [
    'packages/{cli,contract,demo-model,sdk}/test/**/*.test.ts',
    'packages/testkit/test/!(lend-page).test.ts',
    'packages/dashboard/test/{entry-size,schema,unit/*}.test.ts',
    'packages/server/test/unit/!(bounded-buffer).test.ts',
    'packages/server/test/{approvals,deletions,executions}/!(settlement-faults).test.ts',
    'packages/server/test/http/!(connections).test.ts',
    'packages/server/test/{dispatch,mcp,model,store,webhooks}/*.test.ts',
    'packages/widget/test/{approval-states,client,conversation,markdown,poll,recovery,resume,size,svc-output,with-service}.test.ts',
    'lab/test/!(smoke).test.ts',
    'examples/*/test/!(*.browser).test.ts',
  ],
  'programs and pages': [
    'packages/dashboard/test/*.browser.test.ts',
    'packages/server/test/process/!(answer-thread|schema-threads).test.ts',
    'packages/widget/test/{approval-card,approvals,cards-page,demo-line,element,element-states,feedback}.test.ts',
    'packages/widget/test/{hostile,launcher,react,render-output,resume-page,settings,sign-in}.test.ts',
    'packages/testkit/test/lend-page.test.ts',
    'examples/*/test/page.browser.test.ts',
    'test/!(published-packages).test.ts',
    'test/docs/!(samples).test.ts',
  ],
}

/** Tests of programs and pages wait for much of their time: they come last, one more of them at once. */
const ALONGSIDE: Readonly<Record<string, object>> = {
  'programs and pages': { maxWorkers: 4, sequence: { groupOrder: 1 } },
}

const shared = {
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'], externalConditions: ['@svc/source'] } },
}
// A poll ends as soon as it is met: the library’s limit of one second is short of what a busy machine needs.
// Programs and browsers take a second to start where the machine is free, and many where it is not.
const limits = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } }
const groups = Object.entries(TOGETHER).map(([name, include]) => ({
  ...shared,
  test: { ...limits, ...ALONGSIDE[name], name, include: [...include], isolate: false },
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
          name: 'a process each',
          include: TESTS,
          exclude: Object.values(TOGETHER).flat(),
        },
      },
      ...groups,
    ],
  },
})
