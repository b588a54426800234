import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './api/query-client.ts'
import { createAppRouter } from './router.tsx'
import { Toasts } from './ui/toasts.tsx'
import './styles.css'

const root = document.getElementById('root')
if (!root) throw new Error('the page has no root')

const queryClient = createQueryClient({ onSignedOut: () => void leave() })
const router = createAppRouter(queryClient)

/** A session that ended: to the sign-in page, and from there back. */
async function leave(): Promise<void> {
  const { pathname, href } = router.state.location
  if (pathname === '/sign-in' || pathname === '/sign-up') return
  queryClient.clear()
  await router.navigate({ to: '/sign-in', search: { next: href } })
}

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)
