import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a program and waits until it prints what is expected, or until a port answers. It ends with the running test. */
export async function start(
  program: string,
  args: string[],
  options: { cwd: string; until: RegExp | number; env?: NodeJS.ProcessEnv },
): Promise<{ match: string; child: ChildProcess }> {
  const child = spawn(program, args, { cwd: options.cwd, env: options.env ?? process.env })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  const { until } = options
  return { child, match: await (typeof until === 'number' ? answersOn(child, until) : prints(child, until)) }
}

async function prints(child: ChildProcess, expected: RegExp): Promise<string> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    const match = expected.exec(output)
    if (match && output.endsWith('\n')) return match[1] ?? ''
  }
  throw new Error(`the process ended without printing ${expected}: ${output}`)
}

async function answersOn(child: ChildProcess, port: number): Promise<string> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}`)
    const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
    if (response) return String(port)
  }
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
