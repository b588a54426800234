import type { ReactNode } from 'react'
import { Notice } from '../../ui/notice.tsx'
import { explainFailure, type Failed } from './explain-failure.ts'

/** What went wrong, and what most likely mends it. */
export function FailureNotice({ of, message }: { of: Failed; message: string }): ReactNode {
  const fix = explainFailure(of, message)
  return (
    <Notice kind="bad">
      <p className="font-medium">{message}</p>
      {fix !== null && <p className="mt-1">{fix}</p>}
    </Notice>
  )
}
