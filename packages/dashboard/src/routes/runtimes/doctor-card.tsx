import { useMutation } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'

/** Has the endpoint examined, and shows each check. */
export function DoctorCard({ runtimeId }: { runtimeId: string }): ReactNode {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/v1/runtimes/{runtimeId}/doctor', { params: { path: { runtimeId } }, body: {} })),
  })
  return (
    <Card
      title="Doctor"
      description="Sends valid and invalid test calls to the endpoint, and says what to fix. Free and not recorded."
      actions={
        <Button size="small" onClick={() => mutate()} isBusy={isPending}>
          Run doctor
        </Button>
      }
    >
      {(error || data) && (
        <div className="flex flex-col gap-4" aria-live="polite">
          {error && <LoadError error={error} />}
          {data && <Report report={data} />}
        </div>
      )}
    </Card>
  )
}

function Report({ report: { ok, rows } }: { report: Schemas['DoctorReport'] }): ReactNode {
  return (
    <>
      {ok && <Notice kind="ok">The endpoint passes every check.</Notice>}
      {rows
        .filter((row) => !row.ok)
        .map(({ check, message, mend }) => (
          <Notice key={check} kind="bad">
            <p className="font-medium">
              {check}: {message}
            </p>
            <p>{mend}</p>
          </Notice>
        ))}
      <ul className="flex flex-col gap-1 text-sm">
        {rows
          .filter((row) => row.ok)
          .map(({ check, message }) => (
            <li key={check} className="flex gap-2">
              <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ok" />
              <span className="min-w-0 [overflow-wrap:anywhere]">
                {check}: {message}
              </span>
            </li>
          ))}
      </ul>
    </>
  )
}
