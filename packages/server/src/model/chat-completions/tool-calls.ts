import { StreamingToolCallTracker } from '@ai-sdk/provider-utils'
import type { TurnPart } from '../turn-source.ts'
import type { ToolCallDelta } from './chunk.ts'

/** Assembles the tool calls of a turn from pieces that come interleaved and, from some servers, before the call's name. */
export class ToolCalls {
  readonly #complete: TurnPart[] = []
  // The library knows which piece belongs to which call where index, id and name disagree.
  readonly #tracker = new StreamingToolCallTracker({
    enqueue: (part) => part?.type === 'tool-call' && this.#complete.push(part),
  })
  readonly #unnamed = new Map<number, { id: string | null; argumentsText: string }>()
  readonly #named = new Set<number>()

  /** Throws where the turn cannot be used, as for a call that is never named. */
  add(delta: ToolCallDelta): void {
    const { index, id, function: piece } = delta
    if (index === null || this.#named.has(index)) {
      this.#tracker.processDelta(delta)
      return
    }
    const waiting = this.#unnamed.get(index) ?? { id: null, argumentsText: '' }
    waiting.id ??= id
    waiting.argumentsText += piece.arguments ?? ''
    this.#unnamed.set(index, waiting)
    if (piece.name !== null) this.#track(index, piece.name)
  }

  /** All calls, in order. */
  end(): readonly TurnPart[] {
    for (const index of this.#unnamed.keys()) this.#track(index)
    this.#tracker.flush()
    return this.#complete
  }

  #track(index: number, name?: string): void {
    const { id = null, argumentsText = '' } = this.#unnamed.get(index) ?? {}
    this.#unnamed.delete(index)
    this.#named.add(index)
    this.#tracker.processDelta({ index, id, function: { name: name ?? null, arguments: argumentsText } })
  }
}
