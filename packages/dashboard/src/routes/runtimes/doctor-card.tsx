import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'

/** Has the endpoint examined, and shows each check. */
export function DoctorCard({ runtimeId }: { runtimeId: string }): ReactNode {
  const examining = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/v1/runtimes/{runtimeId}/doctor', { params: { path: { runtimeId } }, body: {} })),
  })
  const { data, error, isPending } = examining
  return (
    <Card
      title="Doctor"
      description="Calls the endpoint in right and in false ways, and says what to change. Nothing is charged or recorded."
      actions={
        <Button onClick={() => examining.mutate()} isBusy={isPending}>
          Run doctor
        </Button>
      }
    >
      {error && <LoadError error={error} />}
      {data && <Report report={data} />}
    </Card>
  )
}

function Report({ report: { ok, rows } }: { report: Schemas['DoctorReport'] }): ReactNode {
  const failed = rows.filter((row) => !row.ok)
  return (
    <div className="flex flex-col gap-4" aria-live="polite">
      {ok && <Notice kind="ok">The endpoint passes every check.</Notice>}
      {failed.map(({ check, message, mend }) => (
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
            <li key={check}>
              ✔ {check}: {message}
            </li>
          ))}
      </ul>
    </div>
  )
}
