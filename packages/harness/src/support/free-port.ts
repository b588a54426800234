import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnFreePort } from '@svc/testkit'

/** A port for a program that cannot tell which one it was given. It was free a moment ago. */
export async function freePort(): Promise<number> {
  const listening = await listenOnFreePort(createServer())
  await listening.close()
  return listening.port
}

const STEP_MS = 25

/** Resolves when something listens there; rejects after `maxMs`, or as soon as `ended` settles. */
export async function untilListening(port: number, ended: Promise<unknown>, maxMs = 30_000): Promise<void> {
  let hasEnded = false
  const note = () => {
    hasEnded = true
  }
  ended.then(note, note)
  for (let waitedMs = 0; waitedMs < maxMs && !hasEnded; waitedMs += STEP_MS) {
    if (await isListening(port)) return
    await sleep(STEP_MS)
  }
  throw new Error(hasEnded ? `the program for port ${port} ended` : `nothing listens on port ${port}`)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
