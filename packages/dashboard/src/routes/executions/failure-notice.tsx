import type { ReactNode } from 'react'
import { Notice } from '../../ui/notice.tsx'
import { explainFailure, type Failed } from './explain-failure.ts'

interface FailureNoticeProps {
  of: Failed
  message: string
  /** Whether it is a call whose outcome is unknown: it may not have failed. */
  isUnknown?: boolean
}

/** What went wrong, and what most likely mends it. */
export function FailureNotice({ of, message, isUnknown = false }: FailureNoticeProps): ReactNode {
  const fix = explainFailure(of, message)
  return (
    <Notice kind={isUnknown ? 'warn' : 'bad'}>
      <p className="font-medium">{message}</p>
      {fix !== null && <p className="mt-1">{fix}</p>}
    </Notice>
  )
}
