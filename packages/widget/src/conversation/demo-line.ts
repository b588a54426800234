import type { Turn } from './snapshot.ts'

const DEMO_LINE = '[Demo model: rules, no language understanding]'

/** Whether the built-in demo model gave this answer: each of its texts begins with a line that says so. */
export function isDemo(turn: Turn): boolean {
  return turn.role === 'assistant' && turn.blocks.some((block) => block.type === 'text' && begins(block.text))
}

/** A text of an answer without that line, also while it still comes in. */
export function withoutDemoLine(text: string): string {
  if (DEMO_LINE.startsWith(text)) return ''
  return begins(text) ? text.slice(DEMO_LINE.length).trimStart() : text
}

const begins = (text: string) => text.startsWith(DEMO_LINE)
