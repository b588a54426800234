import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { toast } from '../../ui/toasts.tsx'

export type Serve = ReturnType<typeof useServe>

/** Promotes deployments of a runtime once that is confirmed, and sets the share of its candidate. */
export function useServe(runtimeId: string) {
  const queryClient = useQueryClient()
  const [asked, ask] = useState<number | null>(null)
  const serving = useMutation({
    mutationFn: ({ version, traffic }: { version: number; traffic?: number }) =>
      bodyOf(
        api.POST('/v1/runtimes/{runtimeId}/deployments/{version}/promote', {
          params: { path: { runtimeId, version: String(version) } },
          body: traffic === undefined ? {} : { traffic },
        }),
      ),
    onSuccess: async (_answer, { version, traffic }) => {
      ask(null)
      toast(traffic === undefined ? `Deployment ${version} is stable.` : `Deployment ${version} serves ${traffic} %.`)
      await queryClient.invalidateQueries({ queryKey: ['runtime', runtimeId] })
      await queryClient.invalidateQueries({ queryKey: ['events'] })
    },
  })
  return {
    /** The deployment whose promotion is to be confirmed; null for none. */
    asked,
    ask: (version: number | null) => {
      serving.reset()
      ask(version)
    },
    promote: (version: number) => serving.mutate({ version }),
    share: (version: number, traffic: number) => serving.mutate({ version, traffic }),
    busy: serving.isPending,
    sending: serving,
  }
}
