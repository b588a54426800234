import { defineConfig } from 'vitest/config'

/** The pictures of the documentation, taken of the source as it stands and of the pages as they are built. */
export default defineConfig({
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'], externalConditions: ['@svc/source'] } },
  test: {
    root: new URL('../../../..', import.meta.url).pathname,
    include: ['packages/dashboard/scripts/screenshots/*.shots.ts'],
    globalSetup: ['packages/testkit/src/needs/setup.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
})
