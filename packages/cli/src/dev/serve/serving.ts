import type { NonceStore } from '@svc/sdk'
import type { CliDeps } from '../../deps.ts'
import type { CarriedAnswer, CarriedRequest } from '../worker/messages.ts'
import { type Loaded, type ProjectProcess, startProjectProcess } from './project-process.ts'

type Options = Pick<CliDeps, 'env' | 'cwd' | 'configFile'> & {
  readonly nonceStore: NonceStore
  /** Told when the version that answers has ended by itself. */
  readonly onDeath: () => void
}

/** The version of the project that answers, and the one that is about to. */
export type Serving = {
  /** Loads what is on disk. Where that fails, the version before goes on. Null: a later load took this one’s place. */
  load(): Promise<Loaded | null>
  /** Null where there is no version that could answer. Waits for a load that is under way. */
  answer(request: CarriedRequest, signal: AbortSignal): Promise<CarriedAnswer | null>
  readonly isUp: () => boolean
  close(): Promise<void>
}

export function createServing({ onDeath, ...options }: Options): Serving {
  let current: ProjectProcess | null = null
  let next: ProjectProcess | null = null
  const leaving = new Set<Promise<void>>()

  const dismiss = (process: ProjectProcess | null, how: 'retire' | 'stop') => {
    if (process === null) return
    const gone: Promise<void> = process[how]().finally(() => leaving.delete(gone))
    leaving.add(gone)
  }
  const takeOver = (started: ProjectProcess) => {
    dismiss(current, 'retire')
    current = started
    void started.ended.then(() => {
      if (current !== started) return
      current = null
      onDeath()
    })
  }

  return {
    async load() {
      dismiss(next, 'stop')
      const started = startProjectProcess(options)
      next = started
      const loaded = await started.loaded
      if (next !== started) return null
      next = null
      if (loaded.ok) takeOver(started)
      else dismiss(started, 'stop')
      return loaded
    },
    async answer(request, signal) {
      // A call right after a file was saved means the new version.
      while (next !== null) await next.loaded
      return current === null ? null : current.answer(request, signal)
    },
    isUp: () => current !== null,
    async close() {
      const last = [current, next]
      current = null
      next = null
      for (const process of last) dismiss(process, 'retire')
      await Promise.all(leaving)
    },
  }
}
