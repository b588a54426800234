import type { Output } from '../conversation/snapshot.ts'
import { type OutputActions, outputView } from './output-view.ts'
import { STRINGS, type Strings } from './strings.ts'

/** An output of a snapshot, or what `readSvcOutput` gave. */
export type RenderableOutput = Pick<Output, 'cards' | 'actions'> & Partial<Output>

/** The handlers of its buttons. Those for a wait are needed where the output has one. */
export interface RenderOptions extends Pick<OutputActions, 'send'>, Partial<Omit<OutputActions, 'send'>> {
  /** Texts in place of the built-in ones, by name. */
  readonly strings?: Partial<Strings> | undefined
}

/**
 * Draws an output as DOM nodes for a chat of one’s own, without the element and without styles: cards, what is waited for,
 * and buttons, each with a class and a `part` of the same name. Text never becomes markup. Draw anew when the output changes.
 * @example
 * for (const output of turn.outputs) log.append(renderOutput(output, { send: (text) => conversation.send(text) }))
 */
export function renderOutput(output: RenderableOutput, options: RenderOptions): HTMLElement {
  const { send, checkAgain = nothing, cancelWait = nothing, strings } = options
  return outputView({ id: '', wait: null, ...output }, { send, checkAgain, cancelWait }, { ...STRINGS, ...strings })
}

function nothing(): void {}
