import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/** As much as it needs of a list that is read page by page. */
interface PagedList {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** Asks for the next page of a list that is shown newest first; nothing where there is none. */
export function EarlierButton({ list }: { list: PagedList }): ReactNode {
  if (!list.hasNextPage) return null
  return (
    <div className="flex justify-center">
      <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Load more
      </Button>
    </div>
  )
}
