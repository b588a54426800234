import { defineConfig } from 'vitest/config'
import { ReportSkipped } from './packages/testkit/src/needs/report-skipped.ts'

export default defineConfig({
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'], externalConditions: ['@svc/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', new ReportSkipped()],
    globalSetup: ['packages/testkit/src/needs/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    maxWorkers: 3,
  },
})
