import { connect, type Socket } from 'node:net'
import { type RawAnswer, readAnswer } from './raw-http.ts'

/** What came back for bytes that were sent: an answer, the end of the connection without one, or nothing in time. */
export type RawHeard =
  | { kind: 'answer'; answer: RawAnswer; isOpen: boolean }
  | { kind: 'closed' }
  | { kind: 'silent' }
  | { kind: 'nonsense'; problem: string }

const NOTHING = Buffer.alloc(0)

/** One connection that carries one exchange after the other. It sends the very bytes that it is given. */
export class RawConnection {
  readonly #socket: Socket
  #received = NOTHING
  #isEnded = false
  #look = () => {}

  constructor(port: number, host = '127.0.0.1') {
    this.#socket = connect({ port, host, noDelay: true })
    this.#socket.on('data', (bytes) => {
      this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes])
      this.#look()
    })
    const end = () => {
      this.#isEnded = true
      this.#look()
    }
    this.#socket.on('error', end).on('end', end).on('close', end)
  }

  get isUsable(): boolean {
    return !this.#isEnded && !this.hasLeftovers
  }

  /** Whether more came than the answers that were waited for: where requests were whole, that is somebody else’s. */
  get hasLeftovers(): boolean {
    return this.#received.length > 0
  }

  /** Sends bytes and waits for the answer to them. One exchange at a time. */
  exchange(bytes: Buffer | string, { isHead = false, timeoutMs = 20_000 } = {}): Promise<RawHeard> {
    return new Promise((resolve) => {
      const finish = (heard: RawHeard) => {
        clearTimeout(timer)
        this.#look = () => {}
        resolve(heard)
      }
      const timer = setTimeout(() => finish({ kind: 'silent' }), timeoutMs)
      this.#look = () => {
        const heard = this.#heard(isHead)
        if (heard) finish(heard)
      }
      this.#socket.write(bytes)
      this.#look()
    })
  }

  /** Sends bytes and waits for the head of what comes, whose body may go on for long; empty where none comes. */
  head(bytes: Buffer): Promise<string> {
    return new Promise((resolve) => {
      this.#look = () => {
        const end = this.#received.indexOf('\r\n\r\n')
        if (end === -1 && !this.#isEnded) return
        this.#look = () => {}
        resolve(this.#received.toString('latin1', 0, Math.max(0, end)))
      }
      this.#socket.write(bytes)
    })
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #heard(isHead: boolean): RawHeard | null {
    try {
      const answer = readAnswer(this.#received, { isHead, isEnd: this.#isEnded })
      if (!answer) return this.#isEnded ? { kind: 'closed' } : null
      this.#received = this.#received.subarray(answer.size)
      const isOpen = !this.#isEnded && answer.headers.get('connection')?.[0] !== 'close'
      return { kind: 'answer', answer, isOpen }
    } catch (error) {
      return { kind: 'nonsense', problem: error instanceof Error ? error.message : String(error) }
    }
  }
}
