import { StreamingToolCallTracker } from '@ai-sdk/provider-utils'
import type { TurnPart } from '../turn-source.ts'
import type { ToolCallDelta } from './chunk.ts'

interface Unnamed {
  id: string | null
  argumentsText: string
}

/** Puts the tool calls of a turn together from their pieces, which come interleaved, and of some servers out of order. */
export class ToolCalls {
  readonly #complete: TurnPart[] = []
  // Which piece belongs to which call, where index, id and name say different things, is the provider library's knowledge.
  readonly #tracker = new StreamingToolCallTracker({
    enqueue: (part) => part?.type === 'tool-call' && this.#complete.push(part),
  })
  readonly #unnamed = new Map<number, Unnamed>()
  readonly #named = new Set<number>()

  /** Throws what makes the turn unusable, such as a call that is never named. */
  add(delta: ToolCallDelta): void {
    const { index } = delta
    if (index === null || this.#named.has(index)) this.#tracker.processDelta(delta)
    else this.#untilNamed(index, delta)
  }

  /** All of them, in their order. */
  end(): readonly TurnPart[] {
    for (const [index, { id, argumentsText }] of this.#unnamed) {
      this.#tracker.processDelta({ index, id, function: { arguments: argumentsText } })
    }
    this.#tracker.flush()
    return this.#complete
  }

  #untilNamed(index: number, delta: ToolCallDelta): void {
    const waiting = this.#unnamed.get(index) ?? { id: null, argumentsText: '' }
    waiting.id ??= delta.id
    waiting.argumentsText += delta.function.arguments ?? ''
    this.#unnamed.set(index, waiting)
    const { name } = delta.function
    if (name === null) return
    this.#unnamed.delete(index)
    this.#named.add(index)
    this.#tracker.processDelta({ index, id: waiting.id, function: { name, arguments: waiting.argumentsText } })
  }
}
