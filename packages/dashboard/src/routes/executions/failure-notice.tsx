import type { ReactNode } from 'react'
import { Notice } from '../../ui/notice.tsx'
import { explainFailure } from './explain-failure.ts'

/** What went wrong, and what most likely mends it. */
export function FailureNotice({ message }: { message: string }): ReactNode {
  const fix = explainFailure(message)
  return (
    <Notice kind="bad">
      <p className="font-medium">{message}</p>
      {fix !== null && <p className="mt-1">{fix}</p>}
    </Notice>
  )
}
