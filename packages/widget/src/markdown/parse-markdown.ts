import { readBlocks } from './blocks.ts'
import type { MarkdownNode } from './markdown-node.ts'

export interface MarkdownLimits {
  /** Longer texts are cut. */
  characters: number
  lines: number
  /** What comes after so many nodes is left out. */
  nodes: number
}

const LIMITS: MarkdownLimits = { characters: 40_000, lines: 1_000, nodes: 2_000 }

/**
 * Reads Markdown of any origin, in time that grows with its length. `checkUrl` says which addresses links may lead to; a
 * link to another one is its text. Raw HTML is text, images are links to them, and links by reference are what they look
 * like. `isCut` tells that more was sent than is in the tree.
 */
export function parseMarkdown(
  source: string,
  checkUrl: (url: string) => string | null,
  limits: MarkdownLimits = LIMITS,
): { nodes: MarkdownNode[]; isCut: boolean } {
  const text = source.slice(0, limits.characters)
  const lines = text.split(/\r\n?|\n/, limits.lines + 1)
  const reading = { checkUrl, left: limits.nodes }
  const nodes = readBlocks(lines.slice(0, limits.lines), reading, 0)
  return { nodes, isCut: reading.left < 0 || text.length < source.length || lines.length > limits.lines }
}
