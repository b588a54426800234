import type { Server, Socket } from 'node:net'

export interface ConnectionWatch {
  readonly open: ReadonlySet<Socket>
  /** Connections ever accepted. */
  accepted(): number
  /** The next `count` connections are reset on arrival. */
  resetNext(count: number): void
  /** Resolves when no connection is open. */
  whenIdle(): Promise<void>
}

/** Counts a server's connections as TCP sees them, before TLS. */
export function watchConnections(server: Server): ConnectionWatch {
  const open = new Set<Socket>()
  let accepted = 0
  let toReset = 0
  let onIdle: (() => void)[] = []
  const release = (socket: Socket) => {
    open.delete(socket)
    if (open.size > 0) return
    for (const resolve of onIdle) resolve()
    onIdle = []
  }
  server.on('connection', (socket: Socket) => {
    accepted += 1
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => release(socket))
    if (toReset === 0) return
    toReset -= 1
    socket.resetAndDestroy()
  })
  return {
    open,
    accepted: () => accepted,
    resetNext: (count: number) => {
      toReset = count
    },
    whenIdle: () => (open.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => void onIdle.push(resolve))),
  }
}
