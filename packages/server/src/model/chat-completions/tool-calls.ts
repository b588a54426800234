import { StreamingToolCallTracker } from '@ai-sdk/provider-utils'
import type { TurnPart } from '../turn-source.ts'
import type { ToolCallDelta } from './chunk.ts'

/** Assembles the tool calls of a turn from interleaved deltas. Some servers send arguments before the call's name. */
export class ToolCalls {
  readonly #complete: TurnPart[] = []
  // The AI SDK's tracker assigns deltas to calls, also where index, id and name disagree. It needs the name first.
  readonly #tracker = new StreamingToolCallTracker({
    enqueue: (part) => part?.type === 'tool-call' && this.#complete.push(part),
  })
  readonly #unnamed = new Map<number, { id: string | null; argumentsText: string }>()
  readonly #named = new Set<number>()

  /** Throws where no valid call can come of this delta. */
  add(delta: ToolCallDelta): void {
    const { index, id, function: fragment } = delta
    if (index === null || this.#named.has(index)) {
      this.#tracker.processDelta(delta)
      return
    }
    const waiting = this.#unnamed.get(index) ?? { id: null, argumentsText: '' }
    waiting.id ??= id
    waiting.argumentsText += fragment.arguments ?? ''
    this.#unnamed.set(index, waiting)
    if (fragment.name !== null) this.#track(index, fragment.name)
  }

  /** All calls, in order. Throws where one was never named. */
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
