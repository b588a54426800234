/** Markdown as a tree that has no place for markup, images or scripts. Its texts are texts, never HTML. */
export type MarkdownNode =
  | { readonly type: 'text' | 'code' | 'code_block'; readonly text: string }
  | { readonly type: 'rule' }
  | { readonly type: 'paragraph' | 'quote' | 'item' | 'strong' | 'emphasis'; readonly children: MarkdownNode[] }
  | { readonly type: 'heading'; readonly rank: number; readonly children: MarkdownNode[] }
  | { readonly type: 'list'; readonly isOrdered: boolean; readonly start: number; readonly children: MarkdownNode[] }
  | { readonly type: 'link'; readonly url: string; readonly children: MarkdownNode[] }

/** What the readers of blocks and of their text share. */
export interface Reading {
  /** The address that a link may lead to, or null. */
  checkUrl(url: string): string | null
  /** How many more nodes there may be. */
  left: number
}
