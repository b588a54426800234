import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'

/** A small program of the benchmarks' own in a process of its own, as built. */
export interface BenchProgram {
  url: string
  pid: number
  stop(): Promise<void>
}

/** Starts one of `../programs` that listens; it is told what to do in one JSON argument. */
export async function startBenchProgram(
  env: NodeJS.ProcessEnv,
  name: string,
  told: Readonly<Record<string, unknown>>,
): Promise<BenchProgram> {
  const started = startProgram(process.execPath, [programFile(name), JSON.stringify(told)], { env })
  const [, url = ''] = await started.printed(/listening on (http:\S+)/)
  const { pid } = started.child
  if (pid === undefined) throw new Error(`${name} has no process id`)
  return {
    url,
    pid,
    async stop() {
      started.child.kill('SIGKILL')
      await started.ended
    },
  }
}

/** The file of a program as built, wherever this file itself runs from. */
export function programFile(name: string): string {
  return fileURLToPath(new URL(`../../../dist/bench/programs/${name}/main.js`, import.meta.url))
}
