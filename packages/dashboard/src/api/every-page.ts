/** Owners make these by hand, so there are few; a list with more pages than this is cut. */
const MOST_PAGES = 25
const LARGEST_PAGE = 200

interface Page<Item> {
  items: readonly Item[]
  nextCursor: string | null
}

/** A whole listing, page after page. */
export async function everyPage<Item>(
  ask: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const found: Item[] = []
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, nextCursor }: Page<Item> = await ask({ limit: LARGEST_PAGE, ...(cursor !== null && { cursor }) })
    found.push(...items)
    if (nextCursor === null) break
    cursor = nextCursor
  }
  return found
}
