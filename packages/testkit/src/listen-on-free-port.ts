import type { Server, Socket } from 'node:net'

export interface Listening {
  readonly port: number
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Stops listening and cuts every connection. */
  close(): Promise<void>
}

/** Lets a server of any protocol listen on a port of 127.0.0.1 that the system picks. */
export async function listenOnFreePort(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
