import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { watchReachability } from './reachability.ts'

const MAX_TRIES = 3
/** Refusals that another try would only repeat. */
const FINAL = new Set(['validation_error', 'unauthorized', 'forbidden', 'not_found', 'rate_limit_exceeded'])

/** What the page remembers of the API. `onSignedOut` hears when a session is over. */
export function createQueryClient({ onSignedOut }: { onSignedOut: () => void }): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.code === 'unauthorized') onSignedOut()
  }
  const queryCache = new QueryCache({ onError })
  watchReachability(queryCache)
  return new QueryClient({
    queryCache,
    mutationCache: new MutationCache({
      // A wrong password is refused with the same code, and is an answer for its form.
      onError: (error, _variables, _context, mutation) => {
        if (mutation.meta?.['isSignIn'] !== true) onError(error)
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (failures, error) => failures < MAX_TRIES - 1 && !(error instanceof ApiError && FINAL.has(error.code)),
      },
    },
  })
}
