import type { Reporter, TestModule } from 'vitest/node'
import { howToMeet, type NeedName, needsInTitle } from './known-needs.ts'

/** Ends the output of a run with what was skipped because something is not on this machine, and how to have it. */
export class ReportSkipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = new Map<NeedName, number>()
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        for (const need of needsInTitle(test.fullName)) skipped.set(need, (skipped.get(need) ?? 0) + 1)
      }
    }
    process.stdout.write(summary(skipped))
  }
}

function summary(skipped: ReadonlyMap<NeedName, number>): string {
  if (skipped.size === 0) return 'No test was skipped for want of a program or a server.\n'
  const lines = [...skipped].map(
    ([need, count]) => `  ${count} ${count === 1 ? 'test' : 'tests'} for want of ${howToMeet(need)}`,
  )
  return `Skipped, because this machine does not have:\n${lines.join('\n')}\n`
}
