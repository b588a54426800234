import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Sample, writeSamples } from './doc-samples.ts'

type WhenOver = (remove: () => void) => void

/** An empty folder, by its real path. It is gone when the running test is over; outside of one give `afterAll`. */
export function scratchFolder(whenOver: WhenOver = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-docs-')))
  whenOver(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A folder of its own with these samples, in which installed packages resolve. */
export function sampleFolder(samples: readonly Sample[], whenOver?: WhenOver): string {
  const folder = scratchFolder(whenOver)
  writeSamples(samples, folder)
  return folder
}
