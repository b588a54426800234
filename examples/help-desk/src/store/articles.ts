import type { Store } from './open-store.ts'

export interface Article {
  slug: string
  title: string
  body: string
}

const MOST = 3

/** The articles that have most of these words, best first; all of them without words. */
export function searchArticles({ database }: Store, query: string): Article[] {
  const words = query.match(/[\p{L}\p{N}]{2,40}/gu)?.slice(0, 20) ?? []
  if (words.length === 0) return database.prepare<[], Article>('SELECT slug, title, body FROM articles').all()
  return database
    .prepare<[string, number], Article>(
      'SELECT slug, title, body FROM articles WHERE articles MATCH ? ORDER BY bm25(articles, 0, 4, 1) LIMIT ?',
    )
    .all(words.map((word) => `"${word}"`).join(' OR '), MOST)
}
