export interface EventReader {
  /** The reader has left. */
  readonly isGone: boolean
  /** False where the reader can take no more at once. */
  write(frame: string): boolean
  /** Resolves when the reader can take more, or has left. */
  writable(): Promise<void>
  end(): void
}

interface Cursor {
  reader: EventReader
  /** The id of the event to send next. */
  next: number
  isBlocked: boolean
  /** The event to send next was dropped: only `done` is sent. */
  hasGap: boolean
}

/** One server-sent event. `data` is one line. */
export function frameOf(id: number, type: string, data: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`
}

/** One more reader closes the oldest connection, which is most likely dead. */
const MAX_READERS = 4

/**
 * The latest events of one run, from 1 on, and those who read them. A slow reader slows nobody: it reads what waits here, and
 * misses what has been dropped meanwhile.
 */
export class RunEvents {
  readonly #maxBytes: number
  readonly #onGap: () => void
  readonly #frames: string[] = []
  #cursors: Cursor[] = []
  /** The id of the first event that waits. */
  #first = 1
  #bytes = 0
  #done: string | null = null
  #isOver = false

  /** `onGap` hears of each reader who misses events. */
  constructor(maxBytes: number, onGap: () => void) {
    this.#maxBytes = maxBytes
    this.#onGap = onGap
  }

  /** Bytes on the wire of all that waits. */
  get bytes(): number {
    return this.#bytes
  }

  /** The id of the latest event, 0 before the first. */
  get lastId(): number {
    return this.#first - 1 + this.#frames.length + (this.#done === null ? 0 : 1)
  }

  append(type: string, data: string): void {
    const frame = frameOf(this.lastId + 1, type, data)
    this.#frames.push(frame)
    this.#bytes += Buffer.byteLength(frame)
    for (const cursor of this.#cursors) this.#send(cursor)
    while (this.#bytes > this.#maxBytes) this.#dropFirst()
  }

  /** The last event, which stays however large it is. Null where the run broke off without one. */
  finish(done: string | null): void {
    if (done !== null) {
      this.#done = frameOf(this.lastId + 1, 'done', done)
      this.#bytes += Buffer.byteLength(this.#done)
    }
    this.#isOver = true
    for (const cursor of this.#cursors) this.#send(cursor)
  }

  /** Drops all events that wait, `done` excepted. */
  drop(): void {
    while (this.#frames.length > 0) this.#dropFirst()
  }

  /** Sends what follows event `after`, and then each event as it comes. */
  attach(reader: EventReader, after: number): void {
    this.#cursors = this.#cursors.filter((cursor) => !cursor.reader.isGone)
    if (this.#cursors.length >= MAX_READERS) this.#cursors.shift()?.reader.end()
    const cursor = { reader, next: after + 1, isBlocked: false, hasGap: false }
    this.#cursors.push(cursor)
    this.#send(cursor)
  }

  #send(cursor: Cursor): void {
    const { reader } = cursor
    while (!cursor.isBlocked && !reader.isGone) {
      const frame = this.#take(cursor)
      if (frame === null) {
        if (this.#isOver) reader.end()
        return
      }
      if (!reader.write(frame)) this.#waitFor(cursor)
    }
  }

  #waitFor(cursor: Cursor): void {
    cursor.isBlocked = true
    void cursor.reader.writable().then(() => {
      cursor.isBlocked = false
      this.#send(cursor)
    })
  }

  #take(cursor: Cursor): string | null {
    if (cursor.next < this.#first && !cursor.hasGap) {
      cursor.hasGap = true
      this.#onGap()
      // With the id of what the reader has: resumed once more it is told of the gap again.
      return frameOf(cursor.next - 1, 'gap', '{"type":"gap"}')
    }
    const frame = cursor.hasGap ? undefined : this.#frames[cursor.next - this.#first]
    if (frame !== undefined) {
      cursor.next += 1
      return frame
    }
    if (this.#done === null || cursor.next > this.lastId) return null
    cursor.next = this.lastId + 1
    return this.#done
  }

  #dropFirst(): void {
    this.#bytes -= Buffer.byteLength(this.#frames.shift() ?? '')
    this.#first += 1
  }
}
