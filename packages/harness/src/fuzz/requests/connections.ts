import { RawConnection } from '../support/raw-connection.ts'

/**
 * One to each port, begun anew where the last one is over. It calls back where one brought more than the answers to what
 * was asked: one whose framing was broken must be dropped before it is asked for again.
 */
export class Connections {
  readonly #byPort = new Map<number, RawConnection>()
  readonly #onLeftovers: () => void

  constructor(onLeftovers: () => void) {
    this.#onLeftovers = onLeftovers
  }

  to(port: number): RawConnection {
    const known = this.#byPort.get(port)
    if (known?.isUsable) return known
    if (known?.hasLeftovers) this.#onLeftovers()
    this.drop(port)
    const connection = new RawConnection(port)
    this.#byPort.set(port, connection)
    return connection
  }

  drop(port: number): void {
    this.#byPort.get(port)?.destroy()
    this.#byPort.delete(port)
  }

  close(): void {
    for (const [port, connection] of this.#byPort) {
      if (connection.hasLeftovers) this.#onLeftovers()
      this.drop(port)
    }
  }
}
