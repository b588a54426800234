import { createServer } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { listenOnFreePort } from '@svc/testkit'

// The kernel accepts connections and what is sent on them; this thread never looks, as a hung process would not.
const { port } = await listenOnFreePort(createServer())
parentPort?.postMessage({ kind: 'listening', port })
setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
