import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import { searchArticles } from '../store/articles.ts'
import type { Store } from '../store/open-store.ts'

export function searchArticlesCapability(store: Store) {
  return defineCapability({
    name: 'search-articles',
    version: '1.0.0',
    effect: 'read',
    description: 'Search the help articles: how to do or set up something, and what to do when it does not work.',
    input: z.object({ query: z.string().max(200).describe('A few words, such as “printer jam”.') }),
    handler: ({ query }) => ({ articles: searchArticles(store, query) }),
  })
}
