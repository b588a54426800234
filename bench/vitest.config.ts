import { defineConfig } from 'vitest/config'

/** Benchmarks are run one at a time, on the engines that the tests run on. */
export default defineConfig({
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'], externalConditions: ['@svc/source'] } },
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['bench/**/*.bench.ts'],
    globalSetup: ['packages/testkit/src/needs/setup.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    maxWorkers: 1,
    fileParallelism: false,
  },
})
