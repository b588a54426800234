import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { listenOnFreePort, type StartedProgram, startProgram } from '@svc/testkit'
import { onTestFinished } from 'vitest'

interface Options {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** What it prints once it is ready; the first group of it is given back. */
  readonly until: RegExp
  /** Takes what ends it: `onTestFinished`, unless several tests share it. */
  readonly whenOver?: (end: () => Promise<void>) => void
}

/** Starts a program and waits until it prints what is expected. */
export async function start(
  program: string,
  args: readonly string[],
  { until, whenOver = onTestFinished, ...options }: Options,
): Promise<{ match: string; child: ChildProcess; logged: StartedProgram['logged'] }> {
  const { child, ended, printed, logged } = startProgram(program, args, options)
  whenOver(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const [, match = ''] = await printed(until)
  return { child, match, logged }
}

/** A port of 127.0.0.1 that nobody listens on now, for a program that has to be told one. */
export async function freePort(): Promise<number> {
  const { port, close } = await listenOnFreePort(createServer())
  await close()
  return port
}

/** A port of 127.0.0.1 at which nothing ever listens: a reserved one that no service was given. */
export const DEAD_PORT = 2
