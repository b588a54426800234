import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const STOP_MS = 30_000
const START_MS = 60_000

/**
 * @typedef {object} Options
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {(line: string) => void} [onLine] hears each line that it prints
 */

/** Node programs of this terminal: their lines are printed behind their names, and they are stopped together. */
export function startProcesses() {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const running = new Set()
  let isStopping = false

  /** @param {string} name @param {string} line */
  const tell = (name, line) => void process.stdout.write(`${name.padEnd(9)} | ${line}\n`)

  /** @param {string} name @param {readonly string[]} args @param {Options} [options] */
  function start(name, args, { cwd, env, onLine } = {}) {
    if (isStopping) return
    // In a process group of its own: Ctrl+C reaches this program alone, which then stops the others in order.
    const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (line.trim() === '') return
        tell(name, line)
        onLine?.(line)
      })
    }
    child.once('exit', (code) => {
      running.delete(child)
      if (isStopping) return
      tell(name, `ended with ${code}`)
      process.exitCode = 1
      void stop()
    })
  }

  /** Stops all in order; asked a second time, at once. */
  async function stop() {
    const signal = isStopping ? 'SIGKILL' : 'SIGTERM'
    isStopping = true
    const endAll = (/** @type {'SIGTERM' | 'SIGKILL'} */ by) => {
      for (const child of running) end(child, by)
    }
    endAll(signal)
    const timer = setTimeout(() => endAll('SIGKILL'), STOP_MS)
    await Promise.all([...running].map((child) => once(child, 'exit')))
    clearTimeout(timer)
  }

  return { start, stop, tell, areStopping: () => isStopping }
}

/** @param {import('node:child_process').ChildProcess} child @param {'SIGTERM' | 'SIGKILL'} signal */
function end(child, signal) {
  // node --watch hands SIGTERM on; a killed one leaves its program behind, so its whole group is killed.
  if (signal === 'SIGTERM' || process.platform === 'win32' || child.pid === undefined) child.kill(signal)
  else process.kill(-child.pid, signal)
}

/** @param {string} url */
export async function untilAnswers(url) {
  const giveUpAt = Date.now() + START_MS
  for (;;) {
    const response = await fetch(url).catch(() => null)
    if (response?.ok) return
    if (Date.now() > giveUpAt) throw new Error(`${url} does not answer. Is its port taken?`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
