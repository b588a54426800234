import { withoutDemoLine } from './demo-line.ts'
import type { AssistantTurn, Turn } from './snapshot.ts'

/** The words of an answer, in Markdown as the model wrote them, without its calls. */
export function answerText({ blocks }: AssistantTurn): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [withoutDemoLine(block.text)] : [])).join('\n\n')
}

/** A conversation as plain text, in paragraphs that name their speaker. */
export function conversationText(turns: readonly Turn[], names: Readonly<Record<Turn['role'], string>>): string {
  return turns
    .map((turn) => ({ name: names[turn.role], text: turn.role === 'user' ? turn.text : answerText(turn) }))
    .filter(({ text }) => text !== '')
    .map(({ name, text }) => `${name}:\n${text}\n`)
    .join('\n')
}
