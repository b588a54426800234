import { connect } from 'node:net'
import type { ListeningServer } from './server-process.ts'
import { until } from './until.ts'

/** Resolves once nobody listens on the server's port any more. */
export async function untilPortIsClosed({ url }: Pick<ListeningServer, 'url'>): Promise<void> {
  const { port, hostname } = new URL(url)
  const isClosed = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(port), hostname)
      socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
      socket.once('connect', () => socket.destroy())
    })
  await until(isClosed)
}

/** A connection of one client, and all that is heard on it until the server closes it. */
export function keptConnection({ url }: Pick<ListeningServer, 'url'>): {
  send(text: string): void
  heard: Promise<string>
} {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  const heard = new Promise<string>((resolve, reject) => {
    socket.once('end', () => resolve(text)).once('error', reject)
  })
  return { send: (piece) => void socket.write(piece), heard }
}
