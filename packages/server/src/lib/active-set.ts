import { EventEmitter, once } from 'node:events'
import { type StopSignal, unlessStopped } from './stop-signal.ts'

/** The active items of one kind in this process, such as requests. */
export class ActiveSet<T> extends Set<T> {
  readonly #emptied = new EventEmitter()

  override delete(item: T): boolean {
    const isDeleted = super.delete(item)
    if (this.size === 0) this.#emptied.emit('empty')
    return isDeleted
  }

  /** Resolves when no item is left, or when `signal` stops. */
  async idle(signal: StopSignal): Promise<void> {
    if (this.size > 0) await unlessStopped(once(this.#emptied, 'empty'), signal)
  }
}
