import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** What one run of a program took, in milliseconds. */
export interface Taken {
  wall: number
  /** Of the processor, in all threads. */
  cpu: number
}

// A process cannot ask what its children took; the program says it itself when it ends.
const TELL = `import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(3, JSON.stringify(process.cpuUsage())))`

/** Runs a Node program to its end. Throws with what it printed where that is not a success. */
export async function runProgram(args: readonly string[], cwd: string, env: Record<string, string>): Promise<Taken> {
  const begun = performance.now()
  const preload = `data:text/javascript,${encodeURIComponent(TELL)}`
  const child = spawn(process.execPath, ['--import', preload, ...args], {
    ...{ cwd, env: { PATH: process.env['PATH'], ...env } },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const texts = ['', '', '', '']
  for (const [index, stream] of child.stdio.entries()) {
    if (stream && 'read' in stream) stream.on('data', (chunk) => (texts[index] += String(chunk)))
  }
  const [exitCode] = await once(child, 'close')
  const wall = performance.now() - begun
  if (exitCode !== 0) throw new Error(`it ended with ${exitCode}: ${texts.slice(1, 3).join('')}`)
  const { user, system }: NodeJS.CpuUsage = JSON.parse(texts[3] ?? '')
  return { wall, cpu: (user + system) / 1000 }
}
