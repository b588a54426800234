import { openTerminal } from '../../terminal/terminal.ts'
import { isToWorker } from './messages.ts'
import { startWorker } from './start-worker.ts'

// The process that runs the project’s code for `svc dev`: one for each version of its files.
const [cwd = process.cwd(), configFile] = process.argv.slice(2)

// Ctrl-C reaches the whole group; `svc dev` ends this process once its calls are over.
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())

// It shows no progress: there is nothing to wait for by the clock.
const timers = { now: () => performance.now(), every: () => () => undefined, after: () => () => undefined }
const terminal = openTerminal({ stdout: process.stderr, stderr: process.stderr, env: process.env, timers })
const worker = startWorker({
  deps: { env: process.env, cwd, ...(configFile !== undefined && { configFile }) },
  terminal,
  send: (message) => void process.send?.(message),
})
process.on('message', (message) => {
  if (isToWorker(message)) worker.receive(message)
})
